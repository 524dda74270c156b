/** Queries on the quarantine: what was held back until somebody decides on it. */
import { type Kysely, type Selectable, sql, type Transaction } from 'kysely'
import type { Submission } from '../leads/submission.ts'
import { DAY } from '../time.ts'
import type { Schema } from './schema.ts'
import { asSubmission } from './submission-row.ts'
import { refile } from './tasks.ts'

/** Well below what one statement may have of parameters; the next hold or digest has the rest. */
const DELETED_AT_ONCE = 1000

export type QuarantineLimits = { days: number; capacity: number }

export type QuarantineState = Selectable<Schema['quarantine']>['state']

/** One entry, with the submission that is held. */
export type QuarantinedSubmission = {
  submission: Submission<'site'>
  reason: 'honeypot' | 'screening'
  signals: string[]
  state: QuarantineState
  heldAt: number
  decidedAt: number | null
}

/** Entries in one state, newest first, from below the submission id `before`. */
export async function listQuarantine(
  db: Kysely<Schema>,
  { state, before, limit }: { state: QuarantineState; before?: number | undefined; limit: number },
): Promise<QuarantinedSubmission[]> {
  let query = selectHeld(db).where('q.state', '=', state)
  if (before !== undefined) query = query.where('q.submission_id', '<', before)
  const rows = await query.orderBy('q.submission_id', 'desc').limit(limit).execute()
  return rows.map(asHeld)
}

/** The entry of a submission, in whatever state; undefined where there is none. */
export async function readQuarantined(
  db: Kysely<Schema>,
  submissionId: number,
): Promise<QuarantinedSubmission | undefined> {
  const row = await selectHeld(db).where('q.submission_id', '=', submissionId).executeTakeFirst()
  return row && asHeld(row)
}

const selectHeld = (db: Kysely<Schema>) =>
  db
    .selectFrom('quarantine as q')
    .innerJoin('submissions as s', 's.id', 'q.submission_id')
    .select(['s.id', 's.kind', 's.received_at', 's.answer', 's.body'])
    .select(['q.reason', 'q.signals', 'q.state', 'q.held_at', 'q.decided_at'])

type HeldRow = Awaited<ReturnType<ReturnType<typeof selectHeld>['execute']>>[number]

const asHeld = (row: HeldRow): QuarantinedSubmission => ({
  submission: asSubmission(row) as Submission<'site'>,
  reason: row.reason,
  signals: row.signals === '' ? [] : row.signals.split(','),
  state: row.state,
  heldAt: row.held_at,
  decidedAt: row.decided_at,
})

/**
 * Lets a held or dismissed submission into the normal flow: it is filed anew, without screening.
 * Returns false when there is none of that id or it was released before.
 */
export async function releaseQuarantined(
  db: Kysely<Schema>,
  id: number,
  now: number,
): Promise<boolean> {
  return db.transaction().execute(async tx => {
    const { numUpdatedRows } = await tx
      .updateTable('quarantine')
      .set({ state: 'released', decided_at: now })
      .where('submission_id', '=', id)
      .where('state', '<>', 'released')
      .executeTakeFirst()
    if (numUpdatedRows === 0n) return false
    await refile(tx, id, { dueAt: 0, note: null, now })
    return true
  })
}

/** Marks a held submission as not worth following up. Returns false when there is none of that id. */
export async function dismissQuarantined(
  db: Kysely<Schema>,
  id: number,
  now: number,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('quarantine')
    .set({ state: 'dismissed', decided_at: now })
    .where('submission_id', '=', id)
    .where('state', '=', 'held')
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/**
 * Ends what nobody decided on in time: it is dismissed. What the sender had been told was refused is
 * deleted by then, decided on or not, unless it was released.
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
    // No join: it might begin with all that was ever dismissed.
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
    .limit(DELETED_AT_ONCE)
  await deleteSubmissions(db, idsOf(await refused.execute()))
  await db
    .updateTable('quarantine')
    .set({ state: 'dismissed', decided_at: now })
    .where('state', '=', 'held')
    .where('held_at', '<', deadline)
    .execute()
}

/**
 * Keeps what the honeypot caught within the capacity, the oldest going first, as far as it was
 * refused: up to 100 of it, which is more than was added since the last time.
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

/** Deletes submissions for good, with their quarantine entries and their keys. No lead may have them. */
export async function deleteSubmissions(db: Kysely<Schema>, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return
  const rows = await db.selectFrom('submissions').select('key').where('id', 'in', ids).execute()
  await db.deleteFrom('quarantine').where('submission_id', 'in', ids).execute()
  // A key may stand for a later submission by now: that one keeps it.
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
