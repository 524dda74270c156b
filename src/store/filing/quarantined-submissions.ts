/** Queries on the quarantine: submissions that wait until someone decides about them. */
import { type Kysely, type Selectable, sql, type Transaction } from 'kysely'
import type { Kind, Submission } from '../../leads/body/submission.ts'
import type { QuarantineReason } from '../../leads/words/quarantine-reasons.ts'
import { DAY } from '../../platform/time.ts'
import { asSubmission, submissionColumns } from '../leads/submission-row.ts'
import type { Schema } from '../tables/schema.ts'
import { inTurns } from './fair-turns.ts'

/** Well below the limit of parameters of one statement. The rest is deleted the next time. */
const MOST_DELETED = 1000

export type QuarantineLimits = { days: number; capacity: number }

export type QuarantineState = Selectable<Schema['quarantine']>['state']

export type QuarantinedSubmission = {
  submission: Submission
  reason: QuarantineReason
  signals: string[]
  state: QuarantineState
  heldAt: number
  decidedAt: number | null
  /** Who decided, as in a timeline; null if time did. */
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

/**
 * Dismisses the submissions that no one decided about in time. Those that were not accepted (400 or 429)
 * are deleted at that age, decided about or not, unless they were released.
 */
export async function expireQuarantine(db: Kysely<Schema>, now: number, { days }: QuarantineLimits): Promise<void> {
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
  const lockedOut = db
    .selectFrom('quarantine')
    .select('submission_id as id')
    .where('reason', '=', sql.lit('lockout'))
    .where('held_at', '<', deadline)
    // Not a list of states: with one, SQLite would take the index on them.
    .where('state', '<>', 'released')
    .limit(MOST_DELETED)
  for (const query of [refused, lockedOut]) await deleteSubmissions(db, idsOf(await query.execute()))
  await db
    .updateTable('quarantine')
    .set({ state: 'dismissed', decided_at: now })
    .where('state', '=', 'held')
    .where('held_at', '<', deadline)
    .execute()
}

/**
 * Keeps those that were not accepted within the capacity: deletes the oldest of the networks that have the
 * most, so that one client cannot push out what others sent.
 */
export async function trimQuarantine(tx: Transaction<Schema>, { capacity }: QuarantineLimits): Promise<void> {
  const held = await tx
    .selectFrom('quarantine')
    .select('submission_id')
    .where('state', '=', 'held')
    .where('reason', 'in', ['honeypot', 'lockout'])
    .limit(1)
    .offset(capacity)
    .execute()
  if (held.length === 0) return
  const rows = await tx
    .selectFrom('quarantine as q')
    .innerJoin('submissions as s', 's.id', 'q.submission_id')
    .select(['s.id', 's.client_address'])
    .where('q.state', '=', 'held')
    .where('q.reason', 'in', ['honeypot', 'lockout'])
    .where('s.answer', 'in', [400, 429])
    .orderBy('q.held_at', 'desc')
    .orderBy('q.submission_id', 'desc')
    .execute()
  await deleteSubmissions(tx, idsOf(inTurns(rows).slice(capacity, capacity + MOST_DELETED)))
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
