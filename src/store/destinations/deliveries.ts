/** Queries on deliveries: the events for a destination, each attempt to send them, and the outcome. */
import { type Kysely, sql, type Transaction } from 'kysely'
import type { EventFacts } from '../../leads/lead/lead-events.ts'
import { SECOND } from '../../platform/time.ts'
import { HELD, OFF, PROBED_FOR } from '../events/record-events.ts'
import type { OffReason } from '../tables/destination-tables.ts'
import type { Schema } from '../tables/schema.ts'
import { type ClaimedTask, finishTask, postponeTask, type Task } from '../tasks/tasks.ts'
import { type Destination, deleteDestinationIn, endDestination, toDestination } from './destinations.ts'
import { holdAllButOne, letGo } from './hold-back.ts'
import { readToldLeads, type ToldLead } from './told-leads.ts'
import { lockDestination, tasksOf, waitingDeliveries } from './waiting-deliveries.ts'

export type Delivery = {
  id: number
  eventId: string
  type: string
  /** When it happened. */
  at: number
  leadId: number | null
  facts: EventFacts
  destination: Destination
  /** The lead as it is now; undefined for a test, and for a lead that was erased. */
  lead: ToldLead | undefined
  /** When an earlier event of the lead, which must be sent first, is tried next; undefined if there is none. */
  after: number | undefined
  /** Whether there was an attempt to send it. */
  tried: boolean
}

/**
 * A delivery with everything that is needed to send it; undefined if it is gone or settled. One statement reads
 * everything that decides whether it may be sent: when a destination is switched off, all of its events are settled in
 * one go.
 */
export async function findDelivery(db: Kysely<Schema>, id: number): Promise<Delivery | undefined> {
  const row = await db
    .selectFrom('deliveries')
    .innerJoin('destinations', 'destinations.id', 'destination_id')
    .selectAll('destinations')
    .select(['event_id as eventId', 'type', 'at', 'lead_id as leadId', 'facts'])
    .select(eb =>
      eb
        .exists(eb.selectFrom('delivery_attempts').select('id').whereRef('delivery_id', '=', 'deliveries.id'))
        .as('tried'),
    )
    .select(eb =>
      eb
        .selectFrom('tasks')
        .select('due_at')
        .where('kind', '=', sql.lit('deliver'))
        .where('state', '=', sql.lit('due'))
        .where(
          'subject',
          'in',
          eb
            .selectFrom('deliveries as earlier')
            .select('earlier.id')
            .whereRef('earlier.destination_id', '=', 'deliveries.destination_id')
            .whereRef('earlier.lead_id', '=', 'deliveries.lead_id')
            .whereRef('earlier.id', '<', 'deliveries.id')
            .where('earlier.settled_at', 'is', null),
        )
        .orderBy('subject')
        .limit(1)
        .as('after'),
    )
    .where('deliveries.id', '=', id)
    .where('settled_at', 'is', null)
    .executeTakeFirst()
  if (row === undefined) return undefined
  const { eventId, type, at, leadId, facts, tried, after, ...destination } = row
  const [lead] = leadId === null ? [] : await readToldLeads(db, [leadId])
  const event = { id, eventId, type, at, leadId, facts: JSON.parse(facts) }
  return { ...event, destination: toDestination(destination), lead, after: after ?? undefined, tried: Boolean(tried) }
}

export type Attempt = { at: number; duration: number; status: number | null; response: string; note: string }

/**
 * `again`: when it is tried again. `settled`: it was delivered, or is not tried again; with `off`, the destination is
 * switched off, since it no longer receives events.
 */
export type Outcome = { again: number } | { settled: 'done' | 'dead' | 'skipped'; off?: OffReason | undefined }

/**
 * Records an attempt and its outcome, for the task and for the destination. `pause`: until when nothing is sent to a
 * destination that fails. Returns false, and records nothing, if the claim has ended.
 */
export async function recordAttempt(
  db: Kysely<Schema>,
  {
    task,
    delivery,
    attempt,
    outcome,
    pause,
    asked,
  }: {
    task: Task
    delivery: Pick<Delivery, 'id' | 'leadId'> & { destination: Pick<Destination, 'id' | 'name' | 'tokenId'> }
    attempt: Attempt
    outcome: Outcome
    /** Until when nothing is sent to the destination; undefined if the attempt has succeeded. */
    pause: number | undefined
    /** How long the receiver asks us to wait, in milliseconds. */
    asked?: number | undefined
  },
): Promise<boolean> {
  return db.transaction().execute(async tx => {
    const now = attempt.at + attempt.duration
    const ends = 'settled' in outcome && outcome.off !== undefined
    const before = await lockDestination(tx, delivery.destination.id, { toEnd: ends })
    const wasFine = before?.failures === 0 && before.retry_at === null
    // Events that were held back are sent again, even one that was held back while it was being recorded.
    if (pause === undefined && !wasFine) await lockDestination(tx, delivery.destination.id, { toEnd: true })
    const begunAt = task.begun_at ?? attempt.at
    const held =
      'again' in outcome
        ? await postponeTask(tx, task, { dueAt: outcome.again, note: attempt.note, now, begunAt })
        : await finishTask(tx, task as ClaimedTask, {
            // It is the first of the events that the destination misses while it is off.
            ...(ends ? { state: 'skipped', note: OFF } : { state: outcome.settled, note: attempt.note || null }),
            now,
          })
    if (!held) return false
    await tx
      .insertInto('delivery_attempts')
      .values({ delivery_id: delivery.id, ...attempt })
      .execute()
    const destination_id = delivery.destination.id
    if ('settled' in outcome) {
      await tx.updateTable('deliveries').set({ settled_at: now }).where('id', '=', delivery.id).execute()
      if (delivery.leadId !== null) await nextIsDue(tx, { destination_id, leadId: delivery.leadId })
      const { tokenId, name } = delivery.destination
      if (outcome.off === 'gone' && tokenId !== null) {
        // This is how a program ends its subscription. The admins do not have to act, so there is no alarm.
        const audit = { at: now, operatorId: null, actor: 'the receiver', action: 'ended a subscription', detail: name }
        return deleteDestinationIn(tx, destination_id, { now, audit: [audit] })
      }
      if (outcome.off !== undefined) await endDestination(tx, destination_id, { reason: outcome.off, now })
      const rejectsSince = before?.rejects_since ?? null
      const rejects_since = { dead: rejectsSince ?? now, done: null, skipped: rejectsSince }[outcome.settled]
      if (rejects_since !== rejectsSince)
        await tx.updateTable('destinations').set({ rejects_since }).where('id', '=', destination_id).execute()
    }
    if (pause !== undefined) await recordFailing(tx, destination_id, { since: attempt.at, now, pause, asked })
    else if (!wasFine) await recordResponding(tx, destination_id, now)
    return true
  })
}

/** Events that were held back are sent immediately, unless the receiver has asked us to wait. */
async function recordResponding(tx: Transaction<Schema>, id: number, now: number): Promise<void> {
  const askedToWait = await tx
    .updateTable('destinations')
    .set({ failures: 0, failing_since: null })
    .where('id', '=', id)
    .where('asked_until', '>', now)
    .executeTakeFirst()
  if (askedToWait.numUpdatedRows > 0n) return
  await tx
    .updateTable('destinations')
    .set({ failures: 0, failing_since: null, retry_at: null })
    .where('id', '=', id)
    .execute()
  await letGo(tx, id)
}

async function recordFailing(
  tx: Transaction<Schema>,
  id: number,
  { since, now, pause, asked }: { since: number; now: number; pause: number; asked: number | undefined },
): Promise<void> {
  const before = await tx.selectFrom('destinations').select('asked_until').where('id', '=', id).executeTakeFirst()
  const askedUntil = Math.max(before?.asked_until ?? 0, asked === undefined ? 0 : since + asked)
  const until = Math.max(pause, askedUntil)
  await tx
    .updateTable('destinations')
    .set(eb => ({
      failures: eb('failures', '+', 1),
      failing_since: eb.fn.coalesce('failing_since', eb.val(since)),
      retry_at: until,
      held_at: now,
      asked_until: askedUntil > now ? askedUntil : null,
    }))
    .where('id', '=', id)
    .execute()
  await holdAllButOne(tx, id, { now, until })
}

/**
 * Ends the task of an event that was delivered, or is gone. Returns false, and changes nothing, if the event waits
 * again, because someone has switched its destination on meanwhile: this process may then have claimed the task a
 * second time.
 */
export async function skipSettled(db: Kysely<Schema>, task: Task, now: number): Promise<boolean> {
  return db.transaction().execute(async tx => {
    const about = tx.selectFrom('deliveries').where('id', '=', task.subject)
    const delivery = await about.select('destination_id').executeTakeFirst()
    if (delivery !== undefined) await lockDestination(tx, delivery.destination_id)
    const waits = await about.select('id').where('settled_at', 'is', null).executeTakeFirst()
    if (waits !== undefined) return false
    await finishTask(tx, task as ClaimedTask, { state: 'skipped', note: 'it was delivered or is gone', now })
    return true
  })
}

/** The note of a task that waits for an earlier event of its lead. */
const BEHIND = 'an earlier event of the lead comes first'

/**
 * Makes an event wait for an earlier one of its lead, without an attempt. Returns false, and changes nothing, if no
 * earlier event waits anymore.
 */
export async function waitForEarlier(
  db: Kysely<Schema>,
  task: Task,
  { delivery, now }: { delivery: Delivery; now: number },
): Promise<boolean> {
  return db.transaction().execute(async tx => {
    await lockDestination(tx, delivery.destination.id)
    const { after } = (await findDelivery(tx, delivery.id)) ?? {}
    if (after === undefined) return false
    const dueAt = Math.max(after, now) + SECOND
    await postponeTask(tx, task, { dueAt, note: BEHIND, now, countsAsAttempt: false })
    return true
  })
}

/**
 * Makes an event wait, without an attempt, until events may be sent to its destination again. Returns false, and
 * changes nothing, if they already may be.
 */
export async function waitForDestination(
  db: Kysely<Schema>,
  task: Task,
  { id, now }: { id: number; now: number },
): Promise<boolean> {
  return db.transaction().execute(async tx => {
    const { retry_at: retryAt = null } = (await lockDestination(tx, id)) ?? {}
    if (retryAt === null || retryAt <= now) return false
    await postponeTask(tx, task, { dueAt: retryAt + PROBED_FOR, note: HELD, now, countsAsAttempt: false })
    return true
  })
}

/**
 * Makes the next event of the lead, which has waited for this one, due. If it has failed before, it keeps the time of
 * its next attempt, unless that had already come when it began to wait.
 */
async function nextIsDue(
  db: Kysely<Schema>,
  { destination_id, leadId }: { destination_id: number; leadId: number },
): Promise<void> {
  const next = await tasksOf(db, waitingDeliveries(db, destination_id).where('lead_id', '=', leadId))
    .orderBy('subject')
    .limit(1)
    .executeTakeFirst()
  if (next === undefined) return
  await db
    .updateTable('tasks')
    .set({ due_at: 0 })
    .where('id', '=', next.id)
    .where(eb => eb.or([eb('attempts', '=', 0), eb('note', '=', BEHIND)]))
    .execute()
}
