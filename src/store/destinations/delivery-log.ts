/** Queries on the log of a destination: what was sent to it, and sending that again. */
import { randomUUID } from 'node:crypto'
import { type Kysely, sql, type Transaction } from 'kysely'
import { addDeliveries, HELD, newDelivery } from '../events/record-events.ts'
import { type AuditEntry, audited, recordAudit } from '../operators/audit-log.ts'
import type { Schema } from '../tables/schema.ts'
import { BEGINS_AGAIN, type Task } from '../tasks/tasks.ts'
import type { Attempt, Delivery } from './deliveries.ts'
import { lockDestination } from './waiting-deliveries.ts'

/**
 * Which events of a destination to send again: a single one, or all since a moment. `type`: only events of that type.
 * `undelivered`: only events that were never delivered.
 */
export type Resending = { id: number } | { since: number; type?: string | undefined; undelivered: boolean }

/**
 * Sends settled events once more, each under its own id, in the order in which they happened. Returns how many; an
 * event that is gone, or still waits, is left out, and so is everything while the destination is off.
 */
export async function resendDeliveries(
  db: Kysely<Schema>,
  destination: number,
  { which, audit }: { which: Resending; audit: AuditEntry[] },
): Promise<number> {
  return db.transaction().execute(async tx => {
    // Both statements must find the same events, so none of them is settled meanwhile.
    if ((await lockDestination(tx, destination))?.off_at !== null) return 0
    await tx
      .updateTable('tasks')
      .set({ ...BEGINS_AGAIN, due_at: 0 })
      .where('kind', '=', 'deliver')
      .where('subject', 'in', settled(tx, destination, which))
      .execute()
    const { numUpdatedRows } = await tx
      .updateTable('deliveries')
      .set({ settled_at: null })
      .where('id', 'in', settled(tx, destination, which))
      .executeTakeFirst()
    if (numUpdatedRows > 0n) await recordAudit(tx, audit)
    return Number(numUpdatedRows)
  })
}

function settled(tx: Transaction<Schema>, destination: number, which: Resending) {
  const all = tx
    .selectFrom('deliveries')
    .select('deliveries.id')
    .where('destination_id', '=', destination)
    .where('settled_at', 'is not', null)
  if ('id' in which) return all.where('deliveries.id', '=', which.id)
  return all
    .where('at', '>=', which.since)
    .where('type', '!=', 'test')
    .$if(which.type !== undefined, query => query.where('type', '=', which.type ?? ''))
    .$if(which.undelivered, query =>
      query.where(eb =>
        eb.not(
          eb.exists(
            eb
              .selectFrom('delivery_attempts')
              .select('delivery_attempts.id')
              .whereRef('delivery_id', '=', 'deliveries.id')
              .where('note', '=', ''),
          ),
        ),
      ),
    )
}

/** Sends an event that is not about a lead. Returns false, and sends nothing, if the destination is off or gone. */
export async function sendTest(
  db: Kysely<Schema>,
  destination: number,
  { now, audit }: { now: number; audit: AuditEntry[] },
): Promise<boolean> {
  return audited(db, audit, async tx => {
    if ((await lockDestination(tx, destination))?.off_at !== null) return false
    const test = { type: 'test', leadId: null, at: now, facts: {}, eventId: randomUUID() }
    await addDeliveries(tx, [newDelivery(destination, test)])
    return true
  })
}

/** Sends destinations a lead as it is now, whichever events they get otherwise. Returns how many of them are on. */
export async function handOverLead(
  db: Kysely<Schema>,
  leadId: number,
  { destinations, now, audit }: { destinations: readonly number[]; now: number; audit: AuditEntry[] },
): Promise<number> {
  return db.transaction().execute(async tx => {
    const on = await tx
      .selectFrom('destinations')
      .select('id')
      .where('id', 'in', destinations.length === 0 ? [0] : destinations)
      .where('off_at', 'is', null)
      .orderBy('id')
      .forKeyShare()
      .execute()
    const event = { type: 'lead.handed_over', leadId, at: now, facts: {}, eventId: randomUUID() }
    await addDeliveries(
      tx,
      on.map(({ id }) => newDelivery(id, event)),
    )
    if (on.length > 0) await recordAudit(tx, audit)
    return on.length
  })
}

export type LoggedDelivery = Pick<Delivery, 'id' | 'type' | 'at' | 'leadId'> & {
  state: Task['state']
  /** It waits until the destination responds again. */
  held: boolean
  /** When it is tried next, if it waits; 0 means immediately. */
  dueAt: number
  note: string | null
  attempts: Attempt[]
}

/** The newest deliveries of a destination, each with its attempts, newest first; with `before`, those before it. */
export async function listDeliveries(
  db: Kysely<Schema>,
  destination: number,
  { before, limit }: { before?: number | undefined; limit: number },
): Promise<LoggedDelivery[]> {
  const rows = await db
    .selectFrom('deliveries')
    .innerJoin('tasks', join => join.on('kind', '=', sql.lit('deliver')).onRef('subject', '=', 'deliveries.id'))
    .select(['deliveries.id', 'type', 'at', 'lead_id', 'state', 'due_at', 'note'])
    .where('destination_id', '=', destination)
    .$if(before !== undefined, query => query.where('deliveries.id', '<', before ?? 0))
    .orderBy('deliveries.id', 'desc')
    .limit(limit)
    .execute()
  if (rows.length === 0) return []
  const ids = rows.map(({ id }) => id)
  const attempts = await db
    .selectFrom('delivery_attempts')
    .selectAll()
    .where('delivery_id', 'in', ids)
    .orderBy('id', 'desc')
    .execute()
  const byDelivery = Map.groupBy(attempts, ({ delivery_id }) => delivery_id)
  return rows.map(({ id, type, at, lead_id: leadId, state, due_at: dueAt, note }) => ({
    id,
    type,
    at,
    leadId,
    state,
    held: note === HELD,
    dueAt,
    note,
    attempts: byDelivery.get(id) ?? [],
  }))
}

/**
 * Deletes deliveries that were settled before a moment, with their tasks. Returns false once there are none. While a
 * destination is off, deliveries about erased leads stay.
 */
export async function expireDeliveries(
  db: Kysely<Schema>,
  { before, limit }: { before: number; limit: number },
): Promise<boolean> {
  return db.transaction().execute(async tx => {
    const old = await tx
      .selectFrom('deliveries')
      .innerJoin('destinations', 'destinations.id', 'destination_id')
      .select('deliveries.id')
      .where('settled_at', '<', before)
      .where(eb => eb.or([eb('type', '!=', 'lead.erased'), eb('off_at', 'is', null)]))
      .limit(limit)
      .execute()
    const ids = old.map(({ id }) => id)
    if (ids.length === 0) return false
    await tx.deleteFrom('tasks').where('kind', '=', 'deliver').where('subject', 'in', ids).execute()
    await tx.deleteFrom('deliveries').where('id', 'in', ids).execute()
    return true
  })
}
