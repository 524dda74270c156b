/**
 * Records events for the destinations that get them, in the transaction of the change: a delivery and its task for
 * each. Without destinations, this is one look at an empty table.
 */
import { randomUUID } from 'node:crypto'
import type { Insertable, Kysely } from 'kysely'
import { type DestinationFilter, type FilteredLead, passes } from '../../leads/lead/destination-filter.ts'
import {
  type EventFacts,
  type EventType,
  eventsOf,
  type LeadEvent,
  type WeekFigures,
} from '../../leads/lead/lead-events.ts'
import { SECOND } from '../../platform/time.ts'
import type { Schema } from '../tables/schema.ts'
import { CLOCK_SKEW } from '../tasks/clock-skew.ts'

/** How many rows one statement inserts: few enough for the parameter limits of PostgreSQL and SQLite. */
const AT_ONCE = 500

/** The note of a task that waits until its destination responds again. */
export const HELD = 'the destination keeps failing'

/** The note of a task whose destination is off: nothing is sent, unless someone switches it on again. */
export const OFF = 'the destination is off'

/** How long the others wait for the one event that is tried, in milliseconds: longer than an attempt takes. */
export const PROBED_FOR = 20 * SECOND

/**
 * Events that are recorded while their destination is paused wait this much longer than the pause, in milliseconds. If
 * a request under way takes long, it may fail next: they then already wait long enough, and do not have to be
 * rescheduled.
 */
const waitsLonger = (failures: number): number => (failures === 0 ? 2 * PROBED_FOR : PROBED_FOR)

export const recordEventsOf = (db: Kysely<Schema>, entries: readonly Parameters<typeof eventsOf>[0][]): Promise<void> =>
  recordEvents(db, entries.flatMap(eventsOf))

/** Records events, in their order, for the destinations that get them. */
export async function recordEvents(db: Kysely<Schema>, events: readonly LeadEvent[]): Promise<void> {
  if (events.length === 0) return
  const destinations = await readAll(db)
  if (destinations.length === 0) return
  const leads = await readLeads(db, [...new Set(events.map(({ leadId }) => leadId))], {
    labels: destinations.some(({ filter }) => filter.programs.length + filter.tags.length > 0),
  })
  await addDeliveries(
    db,
    (await inOrder(db, events)).flatMap(event => {
      const lead = leads.get(event.leadId)
      const hearing = destinations.filter(
        ({ events: types, filter }) => types.includes(event.type) && lead !== undefined && passes(filter, lead),
      )
      return deliveriesOf(event, hearing)
    }),
    { destinations },
  )
}

/**
 * The events with times that never decrease, since a lead's earlier event may come from a process whose clock is ahead.
 * An earlier event from before a clock was set back does not count.
 */
async function inOrder(db: Kysely<Schema>, events: readonly LeadEvent[]): Promise<LeadEvent[]> {
  const latest = new Map<number, number>()
  const ids = [...new Set(events.map(({ leadId }) => leadId))]
  for (let from = 0; from < ids.length; from += AT_ONCE) {
    const rows = await db
      .selectFrom('deliveries')
      .select(eb => ['lead_id', eb.fn.max('at').as('at')])
      .where('lead_id', 'in', ids.slice(from, from + AT_ONCE))
      .groupBy('lead_id')
      .execute()
    for (const { lead_id, at } of rows) latest.set(Number(lead_id), Number(at))
  }
  return events.map(event => {
    const before = latest.get(event.leadId) ?? event.at
    const at = before - event.at <= CLOCK_SKEW ? Math.max(before, event.at) : event.at
    latest.set(event.leadId, at)
    return { ...event, at }
  })
}

/** Records an event under its id, once for its lead, even if called again within the 30 days that it is kept. */
export async function recordOnce(db: Kysely<Schema>, event: LeadEvent & { eventId: string }): Promise<void> {
  const known = await db
    .selectFrom('deliveries')
    .select('id')
    .where('lead_id', '=', event.leadId)
    .where('event_id', '=', event.eventId)
    .limit(1)
    .executeTakeFirst()
  if (known === undefined) await recordEvents(db, [event])
}

/**
 * Removes deleted leads from the events that wait for destinations and from their log. Every destination is notified
 * that the leads were erased, whichever events it gets, since it may have these leads from before.
 */
export async function recordErased(db: Kysely<Schema>, leads: readonly number[], now: number): Promise<void> {
  const destinations = await readAll(db)
  const known = db.selectFrom('deliveries').select('id').where('lead_id', 'in', leads)
  const underWay = await db
    .deleteFrom('tasks')
    .where('kind', '=', 'deliver')
    .where('subject', 'in', known)
    .returning('lease_until')
    .execute()
  await db.deleteFrom('deliveries').where('lead_id', 'in', leads).execute()
  const events = leads.map(leadId => ({ type: 'lead.erased', leadId, at: now, facts: {} }) as const)
  // An attempt under way may still arrive, and the erasure must not arrive before it.
  const waits = underWay.some(({ lease_until }) => lease_until !== null && lease_until > now)
  await addDeliveries(
    db,
    events.flatMap(event => deliveriesOf(event, destinations)),
    { destinations, dueAt: waits ? now + PROBED_FOR : 0 },
  )
}

/** Records the figures of a week, only once for each destination that gets them, even if this is called again. */
export async function recordWeek(db: Kysely<Schema>, report: WeekFigures, now: number): Promise<void> {
  const destinations = await readAll(db)
  const hearing = destinations.filter(({ events }) => events.includes('report.weekly'))
  if (hearing.length === 0) return
  const eventId = `week-${report.first}`
  await db.transaction().execute(async tx => {
    const known = await tx.selectFrom('deliveries').select('destination_id').where('event_id', '=', eventId).execute()
    const told = new Set(known.map(({ destination_id }) => destination_id))
    const event = { type: 'report.weekly', leadId: null, at: now, facts: { report }, eventId }
    await addDeliveries(
      tx,
      hearing.flatMap(({ id }) => (told.has(id) ? [] : newDelivery(id, event))),
      { destinations },
    )
  })
}

/** The destinations, locked: until the transaction ends, none is switched on or off, or has its events released. */
async function readAll(db: Kysely<Schema>) {
  const rows = await db
    .selectFrom('destinations')
    .select(['id', 'events', 'filter', 'retry_at', 'off_at', 'failures'])
    .orderBy('id')
    .forKeyShare()
    .execute()
  return rows.map(({ id, events, filter, retry_at: retryAt, off_at, failures }) => ({
    id,
    retryAt,
    failures,
    off: off_at !== null,
    events: JSON.parse(events) as EventType[],
    filter: JSON.parse(filter) as DestinationFilter,
  }))
}

/** The facts about leads that filters need, by the leads' ids; with labels only if some filter needs them. */
async function readLeads(
  db: Kysely<Schema>,
  ids: readonly number[],
  { labels }: { labels: boolean },
): Promise<Map<number, FilteredLead>> {
  const leads = new Map<number, FilteredLead & { programs: Set<string>; tags: Set<number> }>()
  for (let from = 0; from < ids.length; from += AT_ONCE) {
    const portion = ids.slice(from, from + AT_ONCE)
    const rows = await db
      .selectFrom('leads')
      .select(['id', 'kind', 'stage', 'state'])
      .where('id', 'in', portion)
      .execute()
    for (const { id, ...lead } of rows) leads.set(id, { ...lead, programs: new Set(), tags: new Set() })
    if (!labels) continue
    const given = await db
      .selectFrom('lead_labels')
      .innerJoin('labels', 'labels.id', 'label_id')
      .select(['lead_id', 'label_id', 'kind', 'name_key'])
      .where('lead_id', 'in', portion)
      .execute()
    for (const { lead_id, label_id, kind, name_key } of given)
      if (kind === 'tag') leads.get(lead_id)?.tags.add(label_id)
      else leads.get(lead_id)?.programs.add(name_key)
  }
  return leads
}

type NewDelivery = Insertable<Schema['deliveries']>

function deliveriesOf(event: LeadEvent, destinations: readonly { id: number }[]): NewDelivery[] {
  const { eventId = randomUUID() } = event
  return destinations.map(({ id }) => newDelivery(id, { ...event, eventId }))
}

/** A delivery that is not inserted yet. */
export const newDelivery = (
  destination: number,
  event: { type: string; leadId: number | null; at: number; facts: EventFacts; eventId: string },
): NewDelivery => ({
  destination_id: destination,
  lead_id: event.leadId,
  event_id: event.eventId,
  type: event.type,
  at: event.at,
  facts: JSON.stringify(event.facts),
})

/**
 * Inserts deliveries, each with its task. The task is due immediately, or when its destination responds again, or when
 * someone switches the destination on. A destination that is not in the map is on, and responds.
 */
export async function addDeliveries(
  db: Kysely<Schema>,
  deliveries: readonly NewDelivery[],
  {
    destinations = [],
    dueAt = 0,
  }: {
    destinations?: readonly { id: number; retryAt: number | null; failures: number; off: boolean }[]
    dueAt?: number
  } = {},
): Promise<void> {
  const known = new Map(destinations.map(one => [one.id, one]))
  for (let from = 0; from < deliveries.length; from += AT_ONCE) {
    const rows = await db
      .insertInto('deliveries')
      .values(
        deliveries
          .slice(from, from + AT_ONCE)
          .map(one => ({ ...one, settled_at: known.get(one.destination_id)?.off ? one.at : null })),
      )
      .returning(['id', 'at', 'destination_id'])
      .execute()
    const task = { lane: 'deliveries', kind: 'deliver', through: null, attempts: 0 } as const
    const stateOf = (id: number, at: number) => {
      const { off = false, retryAt = null, failures = 0 } = known.get(id) ?? {}
      if (off) return { state: 'skipped', due_at: 0, note: OFF, finished_at: at } as const
      const due = { state: 'due', finished_at: null } as const
      return retryAt === null || retryAt <= at
        ? { ...due, due_at: dueAt, note: null }
        : { ...due, due_at: retryAt + waitsLonger(failures), note: HELD }
    }
    await db
      .insertInto('tasks')
      .values(
        rows.map(({ id, at, destination_id }) => ({
          ...task,
          ...stateOf(destination_id, at),
          subject: id,
          created_at: at,
        })),
      )
      .execute()
  }
}
