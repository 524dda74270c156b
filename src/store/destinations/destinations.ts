/** Queries on destinations: the programs that get leads. */
import { type Kysely, type Selectable, sql, type Transaction } from 'kysely'
import type { DestinationFilter } from '../../leads/lead/destination-filter.ts'
import type { EventType } from '../../leads/lead/lead-events.ts'
import { lostDestination } from '../../leads/words/lost-destinations.ts'
import { OFF } from '../events/record-events.ts'
import { addAlarm, endAlarm } from '../operators/alarms.ts'
import { type AuditEntry, audited, recordAudit } from '../operators/audit-log.ts'
import { takeTurns } from '../settings/secrets.ts'
import type { OffReason } from '../tables/destination-tables.ts'
import type { Schema } from '../tables/schema.ts'
import { BEGINS_AGAIN, NO_LEASE } from '../tasks/tasks.ts'
import { lockDestination, waitingDeliveries } from './waiting-deliveries.ts'

export type Destination = {
  id: number
  ref: string
  kind: string
  name: string
  host: string
  sealed: string
  filter: DestinationFilter
  events: EventType[]
  /** The fields of a lead that it gets, besides numbers and a link. */
  fields: string[]
  createdAt: number
  /** The token of the private API that has subscribed it; null if an admin added it in the console. */
  tokenId: number | null
  off: { at: number; reason: OffReason } | undefined
  failures: number
  failingSince: number | null
  retryAt: number | null
}

/** The note of a task that was left out when its destination was switched on again. */
const LEFT_OUT = 'the destination was off'

/** The settings of a destination that someone chooses. */
export type DestinationChoices = Pick<Destination, 'name' | 'filter' | 'events' | 'fields' | 'host' | 'sealed'>

export async function listDestinations(db: Kysely<Schema>): Promise<(Destination & { waiting: number })[]> {
  const rows = await db
    .selectFrom('destinations')
    .selectAll()
    .select(eb =>
      eb
        .selectFrom('deliveries')
        .select(count => count.fn.countAll<number>().as('count'))
        .whereRef('deliveries.destination_id', '=', 'destinations.id')
        .where('deliveries.settled_at', 'is', null)
        .as('waiting'),
    )
    .orderBy('id')
    .execute()
  return rows.map(({ waiting, ...row }) => ({ ...toDestination(row), waiting: Number(waiting) }))
}

export async function readDestination(db: Kysely<Schema>, id: number): Promise<Destination | undefined> {
  const row = await db.selectFrom('destinations').selectAll().where('id', '=', id).executeTakeFirst()
  return row && toDestination(row)
}

/**
 * Adds a destination; returns its id. If one with the same `ref` exists, returns its id and adds nothing. `most`: how
 * many there may be, even if several are added at the same moment.
 */
export async function addDestination(
  db: Kysely<Schema>,
  choices: DestinationChoices & Pick<Destination, 'ref' | 'kind'> & { tokenId?: number },
  { most, audit, now }: { most: number; audit: AuditEntry[]; now: number },
): Promise<{ id: number; added: boolean } | 'too many'> {
  return db.transaction().execute(async tx => {
    await takeTurns(tx)
    const { ref, kind, tokenId = null } = choices
    const all = await tx.selectFrom('destinations').select(['id', 'ref']).execute()
    const known = all.find(one => one.ref === ref)
    if (known !== undefined) return { id: known.id, added: false }
    if (all.length >= most) return 'too many'
    const { id } = await tx
      .insertInto('destinations')
      .values({ ...columnsOf(choices), ref, kind, token_id: tokenId, created_at: now })
      .returning('id')
      .executeTakeFirstOrThrow()
    await recordAudit(tx, audit)
    return { id, added: true }
  })
}

/** Changes a destination. Returns false if it is gone. */
export async function changeDestination(
  db: Kysely<Schema>,
  id: number,
  choices: DestinationChoices,
  audit: AuditEntry[],
): Promise<boolean> {
  return audited(db, audit, async tx => {
    const changed = await tx.updateTable('destinations').set(columnsOf(choices)).where('id', '=', id).executeTakeFirst()
    if (changed.numUpdatedRows === 0n) return false
    return true
  })
}

/**
 * Switches a destination on, and forgets its failures. With `missed`, it gets the events that it missed while it was
 * off; otherwise, it only learns which leads were erased, since it may still have them. Returns how many events it is
 * sent.
 */
export async function switchOn(
  db: Kysely<Schema>,
  id: number,
  { missed, now, audit }: { missed: boolean; now: number; audit: AuditEntry[] },
): Promise<number> {
  const waits = { failures: 0, failing_since: null, retry_at: null, asked_until: null, rejects_since: null }
  const on = { off_at: null, off_reason: null, ...waits }
  return audited(db, audit, async tx => {
    await lockDestination(tx, id, { toEnd: true })
    await tx.updateTable('destinations').set(on).where('id', '=', id).execute()
    const { numUpdatedRows } = await tx
      .updateTable('deliveries')
      .set({ settled_at: null })
      .where('id', 'in', skippedOf(tx, id))
      .$if(!missed, query => query.where('type', '=', 'lead.erased'))
      .executeTakeFirst()
    // Otherwise, they would be sent the next time someone switches it on.
    if (!missed)
      await tx
        .updateTable('tasks')
        .set({ note: LEFT_OUT })
        .where('kind', '=', 'deliver')
        .where('subject', 'in', skippedOf(tx, id))
        .execute()
    await tx
      .updateTable('tasks')
      .set({ ...BEGINS_AGAIN, due_at: 0 })
      .where('kind', '=', 'deliver')
      .where('subject', 'in', waitingDeliveries(tx, id))
      .execute()
    await endAlarm(tx, causeOf(id), now)
    return Number(numUpdatedRows)
  })
}

/** How many events a destination missed while it was off. */
export async function countMissed(db: Kysely<Schema>, id: number): Promise<number> {
  const { count } = await skippedOf(db, id)
    .clearSelect()
    .select(eb => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return Number(count)
}

const skippedOf = (db: Kysely<Schema>, id: number) =>
  db
    .selectFrom('deliveries')
    .innerJoin('tasks', join => join.on('kind', '=', sql.lit('deliver')).onRef('subject', '=', 'deliveries.id'))
    .select('deliveries.id')
    .where('destination_id', '=', id)
    .where('settled_at', 'is not', null)
    .where('note', '=', OFF)

/** Switches a destination off: nothing more is sent to it, and what waits is skipped. */
export async function switchOff(
  db: Kysely<Schema>,
  id: number,
  { reason, now, audit }: { reason: OffReason; now: number; audit: AuditEntry[] },
): Promise<void> {
  await audited(db, audit, async tx => {
    await endDestination(tx, id, { reason, now })
  })
}

/** Does the same within a transaction. */
export async function endDestination(
  tx: Transaction<Schema>,
  id: number,
  { reason, now }: { reason: OffReason; now: number },
): Promise<void> {
  await lockDestination(tx, id, { toEnd: true })
  const off = await tx
    .updateTable('destinations')
    .set({ off_at: now, off_reason: reason })
    .where('id', '=', id)
    .where('off_at', 'is', null)
    .returning(['name', 'failing_since'])
    .executeTakeFirst()
  if (off !== undefined && reason !== 'switched off') {
    const words = lostDestination({ id, name: off.name, reason })
    await addAlarm(
      tx,
      { ...words, cause: causeOf(id), path: `/destinations/${id}`, since: off.failing_since ?? now },
      now,
    )
  }
  await tx
    .updateTable('tasks')
    .set({ state: 'skipped', note: OFF, finished_at: now, ...NO_LEASE })
    .where('kind', '=', 'deliver')
    .where('state', '=', sql.lit('due'))
    .where('subject', 'in', waitingDeliveries(tx, id))
    .execute()
  await tx
    .updateTable('deliveries')
    .set({ settled_at: now })
    .where('destination_id', '=', id)
    .where('settled_at', 'is', null)
    .execute()
}

/** Deletes a destination with everything that was recorded about it. Returns whether there was one. */
export const deleteDestination = (
  db: Kysely<Schema>,
  id: number,
  about: { now: number; audit: AuditEntry[] },
): Promise<boolean> => db.transaction().execute(tx => deleteDestinationIn(tx, id, about))

/** Does the same within a transaction. */
export async function deleteDestinationIn(
  tx: Transaction<Schema>,
  id: number,
  { now, audit }: { now: number; audit: AuditEntry[] },
): Promise<boolean> {
  await tx
    .deleteFrom('tasks')
    .where('kind', '=', 'deliver')
    .where('subject', 'in', eb => eb.selectFrom('deliveries').select('id').where('destination_id', '=', id))
    .execute()
  const { numDeletedRows } = await tx.deleteFrom('destinations').where('id', '=', id).executeTakeFirst()
  await endAlarm(tx, causeOf(id), now)
  if (numDeletedRows > 0n) await recordAudit(tx, audit)
  return numDeletedRows > 0n
}

/** The subject of its alarm: it no longer receives events. */
const causeOf = (id: number): string => `destination ${id}`

const columnsOf = ({ name, host, sealed, filter, events, fields }: DestinationChoices) => ({
  name,
  host,
  sealed,
  filter: JSON.stringify(filter),
  events: JSON.stringify(events),
  fields: JSON.stringify(fields),
})

export const toDestination = (row: Selectable<Schema['destinations']>): Destination => ({
  id: row.id,
  ref: row.ref,
  kind: row.kind,
  name: row.name,
  host: row.host,
  sealed: row.sealed,
  filter: JSON.parse(row.filter),
  events: JSON.parse(row.events),
  fields: JSON.parse(row.fields),
  createdAt: row.created_at,
  tokenId: row.token_id,
  off: row.off_at === null ? undefined : { at: row.off_at, reason: row.off_reason ?? 'switched off' },
  failures: row.failures,
  failingSince: row.failing_since,
  retryAt: row.retry_at,
})
