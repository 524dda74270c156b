/** Queries on the quarantine: submissions that wait until someone decides about them. */
import { type Kysely, type Selectable, sql, type Transaction } from 'kysely'
import type { Submission } from '../leads/submission.ts'
import { DAY } from '../platform/time.ts'
import type { Schema } from './schema.ts'
import { asSubmission } from './submission-row.ts'
import { refile } from './tasks.ts'

/** Well below the limit of parameters of one statement. The rest is deleted the next time. */
const MOST_DELETED = 1000

export type QuarantineLimits = { days: number; capacity: number }

export type QuarantineState = Selectable<Schema['quarantine']>['state']

/** One entry, with its submission. */
export type QuarantinedSubmission = {
  submission: Submission<'site'>
  reason: 'honeypot' | 'screening'
  signals: string[]
  state: QuarantineState
  heldAt: number
  decidedAt: number | null
  /** Who decided, as in a timeline; null if time did. */
  decidedBy: string | null
}

/** Entries in one state, newest first, from below the submission id `before`. */
export async function listQuarantine(
  db: Kysely<Schema>,
  { state, before, limit }: { state: QuarantineState; before?: number | undefined; limit: number },
): Promise<QuarantinedSubmission[]> {
  let query = selectEntries(db).where('q.state', '=', state)
  if (before !== undefined) query = query.where('q.submission_id', '<', before)
  const rows = await query.orderBy('q.submission_id', 'desc').limit(limit).execute()
  return rows.map(asEntry)
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
    .select(['s.id', 's.kind', 's.received_at', 's.answer', 's.body'])
    .select(['q.reason', 'q.signals', 'q.state', 'q.held_at', 'q.decided_at', 'q.decided_by'])

type EntryRow = Awaited<ReturnType<ReturnType<typeof selectEntries>['execute']>>[number]

const asEntry = (row: EntryRow): QuarantinedSubmission => ({
  submission: asSubmission(row) as Submission<'site'>,
  reason: row.reason,
  signals: row.signals === '' ? [] : row.signals.split(','),
  state: row.state,
  heldAt: row.held_at,
  decidedAt: row.decided_at,
  decidedBy: row.decided_by,
})

/**
 * Releases a submission, also one that was dismissed: it is filed again, without screening. Returns
 * false when there is none with that id or it was released before.
 */
export async function releaseQuarantined(
  db: Kysely<Schema>,
  id: number,
  now: number,
  by: string | null = null,
): Promise<boolean> {
  return db.transaction().execute(async tx => {
    const { numUpdatedRows } = await tx
      .updateTable('quarantine')
      .set({ state: 'released', decided_at: now, decided_by: by })
      .where('submission_id', '=', id)
      .where('state', '<>', 'released')
      .executeTakeFirst()
    if (numUpdatedRows === 0n) return false
    await refile(tx, id, { dueAt: 0, note: null, now })
    return true
  })
}

/** Dismisses a submission as not worth following up. Returns false when none with that id waits. */
export async function dismissQuarantined(
  db: Kysely<Schema>,
  id: number,
  now: number,
  by: string | null = null,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('quarantine')
    .set({ state: 'dismissed', decided_at: now, decided_by: by })
    .where('submission_id', '=', id)
    .where('state', '=', 'held')
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/**
 * Undoes a dismissal: the submission waits for a decision again. Returns false if it was not dismissed by
 * someone after the moment `since`.
 */
export async function undoDismissal(
  db: Kysely<Schema>,
  id: number,
  since: number,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('quarantine')
    .set({ state: 'held', decided_at: null, decided_by: null })
    .where('submission_id', '=', id)
    .where('state', '=', 'dismissed')
    .where('decided_by', 'is not', null)
    .where('decided_at', '>=', since)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/**
 * Dismisses the submissions that no one decided about in time. Those that were answered with 400 are
 * deleted at that age, decided about or not, unless they were released.
 */
export async function expireQuarantine(
  db: Kysely<Schema>,
  now: number,
  { days }: QuarantineLimits,
): Promise<void> {
  const deadline = now - days * DAY
  const refused = db
    .selectFrom('submissions as s')
    .select('s.id')
    .where('s.answer', '=', sql.lit(400))
    .where('s.received_at', '<', deadline)
    // Not a join: that might start with everything that was ever dismissed.
    .where(
      eb =>
        eb
          .selectFrom('quarantine as q')
          .select('q.held_at')
          .whereRef('q.submission_id', '=', 's.id')
          .where('q.state', 'in', ['held', 'dismissed']),
      '<',
      deadline,
    )
    .limit(MOST_DELETED)
  await deleteSubmissions(db, idsOf(await refused.execute()))
  await db
    .updateTable('quarantine')
    .set({ state: 'dismissed', decided_at: now })
    .where('state', '=', 'held')
    .where('held_at', '<', deadline)
    .execute()
}

/**
 * Keeps what the honeypot caught within the capacity: deletes the oldest that were answered with 400,
 * up to 100 of them, which is more than was added since the last time.
 */
export async function trimQuarantine(
  tx: Transaction<Schema>,
  { capacity }: QuarantineLimits,
): Promise<void> {
  const surplus = await tx
    .selectFrom('quarantine')
    .select('submission_id')
    .where('state', '=', 'held')
    .where('reason', '=', 'honeypot')
    .orderBy('held_at', 'desc')
    .orderBy('submission_id', 'desc')
    .limit(100)
    .offset(capacity)
    .execute()
  if (surplus.length === 0) return
  const refused = await tx
    .selectFrom('submissions')
    .select('id')
    .where(
      'id',
      'in',
      surplus.map(row => row.submission_id),
    )
    .where('answer', '=', 400)
    .execute()
  await deleteSubmissions(tx, idsOf(refused))
}

const idsOf = (rows: { id: number }[]): number[] => rows.map(({ id }) => id)

/** Deletes submissions for good, with their quarantine entries and keys. They must not belong to a lead. */
export async function deleteSubmissions(db: Kysely<Schema>, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return
  const rows = await db.selectFrom('submissions').select('key').where('id', 'in', ids).execute()
  await db.deleteFrom('quarantine').where('submission_id', 'in', ids).execute()
  // A key may stand for a later submission by now, which keeps it.
  await db
    .deleteFrom('idempotency_keys')
    .where(
      'key',
      'in',
      rows.map(({ key }) => key),
    )
    .where('submission_id', 'in', ids)
    .execute()
  await db.deleteFrom('submissions').where('id', 'in', ids).execute()
}
