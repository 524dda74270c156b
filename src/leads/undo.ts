/** When an action of the staff can be undone. */
import { MINUTE } from '../platform/time.ts'
import type { TimelineEntry, TimelineKind } from './timeline.ts'

/** For how long an action can be undone, in milliseconds. */
export const UNDO_TIME = 10 * MINUTE

/** The actions that change a lead. None of them may have come after one that is undone. */
const changes: TimelineKind[] = ['stage', 'assigned', 'attempt', 'paused', 'resumed']

/** Whether an entry of this timeline can be undone now: not an undo, not for long, nor after the next change. */
export function canUndo(
  entry: TimelineEntry,
  timeline: readonly TimelineEntry[],
  now: number,
): boolean {
  const later = timeline.some(
    ({ id, kind, undoneAt }) => id > entry.id && undoneAt === null && changes.includes(kind),
  )
  const action = entry.was !== null && entry.undoneAt === null && changes.includes(entry.kind)
  return action && now - entry.at <= UNDO_TIME && !later
}
