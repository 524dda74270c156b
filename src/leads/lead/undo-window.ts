/** How long staff can undo an action. */
import { DAY, MINUTE } from '../../platform/time.ts'
import type { TimelineEntry, TimelineKind } from './timeline-entries.ts'

/** How long an action can be undone, in milliseconds. */
export const UNDO_TIME = 10 * MINUTE

/** How long a whole import can be undone, and its rows are stored, in milliseconds. */
export const IMPORT_UNDO_TIME = DAY

/** How long a hand-over of all of a person's leads can be undone, in milliseconds. */
export const HAND_OVER_UNDO_TIME = DAY

/** The kinds of entries that change a lead. Of the entries that have not been undone, only the latest can be undone. */
export const CHANGES: readonly TimelineKind[] = [
  'stage',
  'assigned',
  'attempt',
  'paused',
  'resumed',
  'corrected',
  'withdrawn',
  'merged',
  'unmerged',
]

/** Whether the latest change of a lead can be undone now: it was an action, not long ago, and not a merge. */
export const canUndo = (
  { kind, at, was }: Pick<TimelineEntry, 'kind' | 'at' | 'was'>,
  now: number,
  within = UNDO_TIME,
): boolean => kind !== 'merged' && was !== null && now - at <= within

/** Whether an entry can be taken back on its own, because nothing else in the lead depends on it. */
export const canTakeBack = ({ kind, at }: Pick<TimelineEntry, 'kind' | 'at'>, now: number): boolean =>
  TAKEN_BACK.includes(kind) && now - at <= UNDO_TIME

const TAKEN_BACK: readonly TimelineKind[] = [
  ...(['note', 'skipped', 'labeled', 'unlabeled', 'callback', 'callback-ended', 'no-answer-needed'] as const),
]
