/** What operators can do about messages that were given up, wait for another attempt, or were not sent. */
import { type Kysely, sql, type Transaction, type UpdateQueryBuilder, type UpdateResult } from 'kysely'
import { counted } from '../../leads/body/tidy-text.ts'
import { type AuditEntry, recordAudit } from '../operators/audit-log.ts'
import { isFailed } from '../outbox/outbox.ts'
import type { Schema } from '../tables/schema.ts'
import { hasNoClaim, NO_LEASE } from '../tasks/tasks.ts'

/** `audit`: entries for the audit log if a message changed. The number of changed messages is added to each. */
type Repair = { now: number; audit?: readonly AuditEntry[] }

/**
 * Makes messages due immediately, and resets their attempts: waiting or given-up messages with these ids or, with
 * 'failed', all that were given up. Returns how many. Does not change a message that was sent or is being sent, nor a
 * step of a cadence that has not begun.
 */
export async function retryMail(
  db: Kysely<Schema>,
  which: number[] | 'failed',
  { now, audit }: Repair,
): Promise<number> {
  return repair(db, audit, tx => {
    const query = tx
      .updateTable('tasks')
      .set({ state: 'due', due_at: 0, attempts: 0, finished_at: null, acknowledged_at: null, ...NO_LEASE })
    return which === 'failed'
      ? query.where(isFailed)
      : query
          .where('id', 'in', which)
          .where('state', 'in', ['dead', 'due'])
          .where(eb => eb.or([eb('lane', 'in', ['mail', 'messages', 'reports']), eb('begun_at', 'is not', null)]))
          .where(hasNoClaim(now))
  })
}

/**
 * Acknowledges messages that were given up: the ones with these ids or, with 'failed', all. They no longer cause a
 * warning, unless they are retried and fail again. Returns how many there were.
 */
export async function acknowledgeMail(
  db: Kysely<Schema>,
  which: number[] | 'failed',
  { now, audit }: Repair,
): Promise<number> {
  return repair(db, audit, tx => {
    const query = tx.updateTable('tasks').set({ acknowledged_at: now }).where(isFailed)
    return which === 'failed' ? query : query.where('id', 'in', which)
  })
}

const repair = (
  db: Kysely<Schema>,
  audit: readonly AuditEntry[] = [],
  changing: (tx: Transaction<Schema>) => UpdateQueryBuilder<Schema, 'tasks', 'tasks', UpdateResult>,
): Promise<number> =>
  db.transaction().execute(async tx => {
    const { numUpdatedRows } = await changing(tx).executeTakeFirst()
    const count = Number(numUpdatedRows)
    const detail = counted(count, 'message')
    if (count > 0)
      await recordAudit(
        tx,
        audit.map(entry => ({ ...entry, detail })),
      )
    return count
  })

/**
 * Records that the author of a message knows that it was not sent, and adds the number of the lead to the audit entry.
 * Does nothing if that author has no such message.
 */
export async function acknowledgeUnsent(
  db: Kysely<Schema>,
  id: number,
  { actor, now, audit }: { actor: string; now: number; audit: readonly AuditEntry[] },
): Promise<void> {
  await db.transaction().execute(async tx => {
    const task = await tx
      .updateTable('tasks')
      .set({ acknowledged_at: now })
      .where('id', '=', id)
      .where('kind', '=', sql.lit('message'))
      .where('state', 'in', ['skipped', 'dead'])
      .where('subject', 'in', eb =>
        eb.selectFrom('timeline').select('id').where('actor', '=', actor).whereRef('timeline.id', '=', 'tasks.subject'),
      )
      .returning('subject')
      .executeTakeFirst()
    if (task === undefined) return
    const entry = await tx.selectFrom('timeline').select('lead_id').where('id', '=', task.subject).executeTakeFirst()
    if (entry !== undefined)
      await recordAudit(
        tx,
        audit.map(one => ({ ...one, leadId: entry.lead_id })),
      )
  })
}
