/** Queries on the quarantine: submissions that wait until someone decides about them. */
import type { Kysely, Selectable } from 'kysely'
import type { Kind, Submission } from '../../leads/body/submission.ts'
import type { QuarantineReason } from '../../leads/words/quarantine-reasons.ts'
import { asSubmission, submissionColumns } from '../leads/submission-row.ts'
import type { Schema } from '../tables/schema.ts'

export type QuarantineLimits = { days: number; capacity: number }

export type QuarantineState = Selectable<Schema['quarantine']>['state']

export type QuarantinedSubmission = {
  submission: Submission
  reason: QuarantineReason
  signals: string[]
  state: QuarantineState
  heldAt: number
  decidedAt: number | null
  /** Who decided, as in a timeline; null if it expired. */
  decidedBy: string | null
}

/** Entries in one state, of one kind or of both, newest first, from below the submission id `before`. */
export async function listQuarantine(
  db: Kysely<Schema>,
  {
    state,
    kind,
    before,
    limit,
  }: { state: QuarantineState; kind?: Kind | undefined; before?: number | undefined; limit: number },
): Promise<QuarantinedSubmission[]> {
  let query = selectEntries(db).where('q.state', '=', state)
  if (kind !== undefined) query = query.where('s.kind', '=', kind)
  if (before !== undefined) query = query.where('q.submission_id', '<', before)
  const rows = await query.orderBy('q.submission_id', 'desc').limit(limit).execute()
  return rows.map(asEntry)
}

/** How many submissions wait for a decision, counted up to `most`. */
export async function countQuarantined(db: Kysely<Schema>, most: number): Promise<number> {
  const held = db.selectFrom('quarantine').select('submission_id').where('state', '=', 'held').limit(most)
  return (await held.execute()).length
}

/** The entries of these submissions, in any state, oldest first. */
export async function readQuarantinedOf(db: Kysely<Schema>, ids: readonly number[]): Promise<QuarantinedSubmission[]> {
  if (ids.length === 0) return []
  const query = selectEntries(db).where('q.submission_id', 'in', ids).orderBy('q.submission_id')
  return (await query.execute()).map(asEntry)
}

/** The entry of a submission, in any state; undefined if there is none. */
export async function readQuarantined(
  db: Kysely<Schema>,
  submissionId: number,
): Promise<QuarantinedSubmission | undefined> {
  const row = await selectEntries(db).where('q.submission_id', '=', submissionId).executeTakeFirst()
  return row && asEntry(row)
}

const selectEntries = (db: Kysely<Schema>) =>
  db
    .selectFrom('quarantine as q')
    .innerJoin('submissions as s', 's.id', 'q.submission_id')
    .select(submissionColumns)
    .select(['q.reason', 'q.signals', 'q.state', 'q.held_at', 'q.decided_at', 'q.decided_by'])

type EntryRow = Awaited<ReturnType<ReturnType<typeof selectEntries>['execute']>>[number]

const asEntry = (row: EntryRow): QuarantinedSubmission => ({
  submission: asSubmission(row),
  reason: row.reason,
  signals: row.signals === '' ? [] : row.signals.split(','),
  state: row.state,
  heldAt: row.held_at,
  decidedAt: row.decided_at,
  decidedBy: row.decided_by,
})
