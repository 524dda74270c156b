/** When an action of the staff can be undone. */
import { MINUTE } from '../platform/time.ts'
import type { TimelineEntry, TimelineKind } from './timeline.ts'

/** For how long an action can be undone, in milliseconds. */
export const UNDO_TIME = 10 * MINUTE

/** The kinds of entries that change a lead: only the latest of them that stands can be undone. */
export const CHANGES: readonly TimelineKind[] = [
  'stage',
  'assigned',
  'attempt',
  'paused',
  'resumed',
  'corrected',
  'withdrawn',
]

/** Whether the latest change of a lead can be undone now: it was an action, and not long ago. */
export const canUndo = ({ at, was }: Pick<TimelineEntry, 'at' | 'was'>, now: number): boolean =>
  was !== null && now - at <= UNDO_TIME
