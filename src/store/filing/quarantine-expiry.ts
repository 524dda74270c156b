/** Ends quarantine after some days, or when it is full. Called while filing, and before the daily email. */
import { type Kysely, sql, type Transaction } from 'kysely'
import { DAY } from '../../platform/time.ts'
import type { Schema } from '../tables/schema.ts'
import { trustsClock } from '../tasks/trusted-clock.ts'
import { inTurns } from './fair-turns.ts'
import type { QuarantineLimits } from './quarantined-submissions.ts'

/** Well below the parameter limit of a statement. The rest is deleted the next time. */
const MOST_DELETED = 1000

/**
 * Dismisses the submissions that no one decided about in time. Submissions that were not accepted (400 or 429) are
 * deleted at that age, even if someone has decided about them, unless they were released. Does nothing while the clock
 * is not trusted.
 */
export async function expireQuarantine(db: Kysely<Schema>, now: number, { days }: QuarantineLimits): Promise<void> {
  if (!(await trustsClock(db, now))) return
  const deadline = now - days * DAY
  const refused = db
    .selectFrom('submissions as s')
    .select('s.id')
    .where('s.answer', '=', sql.lit(400))
    .where('s.received_at', '<', deadline)
    // This is not a join, because a join might start with everything that was ever dismissed.
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
    // Does not list the states: SQLite would then use the index on them.
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
 * Submissions from the last RECENT milliseconds stay until a daily digest has listed them, unless there are more of
 * them than CROWD times the capacity.
 */
const RECENT = DAY
const CROWD = 10

/**
 * Keeps the submissions that were not accepted within the capacity. Deletes the oldest of the networks that have the
 * most, so that one client cannot push out what others sent. Even many networks cannot push out the submissions of the
 * last day.
 */
export async function trimQuarantine(
  tx: Transaction<Schema>,
  now: number,
  { capacity }: QuarantineLimits,
): Promise<void> {
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
    .select(['s.id', 's.client_address', 'q.held_at'])
    .where('q.state', '=', 'held')
    .where('q.reason', 'in', ['honeypot', 'lockout'])
    .where('s.answer', 'in', [400, 429])
    .orderBy('q.held_at', 'desc')
    .orderBy('q.submission_id', 'desc')
    .execute()
  const recent = rows.filter(({ held_at }) => held_at > now - RECENT)
  const older = rows.slice(recent.length)
  const surplus = [
    ...inTurns(older).slice(Math.max(0, capacity - recent.length)),
    ...inTurns(recent).slice(CROWD * capacity),
  ]
  await deleteSubmissions(tx, idsOf(surplus.slice(0, MOST_DELETED)))
}

const idsOf = (rows: { id: number }[]): number[] => rows.map(({ id }) => id)

/** Deletes submissions for good, with their quarantine entries and keys. They must not belong to a lead. */
export async function deleteSubmissions(db: Kysely<Schema>, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return
  const rows = await db.selectFrom('submissions').select('key').where('id', 'in', ids).execute()
  await db.deleteFrom('quarantine').where('submission_id', 'in', ids).execute()
  // By now, a later submission may have a key; it keeps that key.
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
