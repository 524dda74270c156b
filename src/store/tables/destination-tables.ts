/** The tables of destinations, and of their events. */
import type { Generated, GeneratedAlways } from 'kysely'

export type DestinationTables = {
  destinations: DestinationsTable
  deliveries: DeliveriesTable
  delivery_attempts: DeliveryAttemptsTable
}

type DestinationsTable = {
  id: GeneratedAlways<number>
  /** A random name, to which its secrets are bound. */
  ref: string
  /** The name of a row of `destinations/kinds.ts`. */
  kind: string
  name: string
  /** The host of its URL; the URL itself may be a secret. */
  host: string
  /** Its URL and keys, encrypted, in base64url. */
  sealed: string
  /** The leads that it gets (`leads/lead/destination-filter.ts`), as JSON. */
  filter: string
  /** The types of events that it gets, as JSON. */
  events: string
  /** The names of the lead's fields that it gets, besides numbers and a link, as JSON. */
  fields: string
  created_at: number
  /** The token of the private API that has subscribed it; null if an admin added it in the console. */
  token_id: Generated<number | null>
  off_at: Generated<number | null>
  off_reason: Generated<OffReason | null>
  /** Failed attempts in a row. */
  failures: Generated<number>
  failing_since: Generated<number | null>
  /** When we may send to it again, since it keeps failing; until then, nothing is sent. */
  retry_at: Generated<number | null>
  /** When that was decided, so that a wait keeps its length when the clock is set back. */
  held_at: Generated<number | null>
  /** Until when the receiver has asked us to wait; a success in the meantime does not end the wait. */
  asked_until: Generated<number | null>
  /** When it rejected the first of its last events, although it responds; null if it has accepted the last one. */
  rejects_since: Generated<number | null>
}

/** `gone`: it responded 410. `given up`: an event could not be delivered for five days. */
export type OffReason = 'switched off' | 'gone' | 'given up'

type DeliveriesTable = {
  id: GeneratedAlways<number>
  destination_id: number
  /** Null for a test. */
  lead_id: number | null
  /** An event has the same id for every destination and every attempt. */
  event_id: string
  type: string
  /** When it happened. */
  at: number
  /** The event's data besides the lead, as JSON: ids only. */
  facts: string
  /** When it was delivered, given up or skipped; null while it waits. */
  settled_at: number | null
}

type DeliveryAttemptsTable = {
  id: GeneratedAlways<number>
  delivery_id: number
  at: number
  /** How long the attempt took, in milliseconds. */
  duration: number
  status: number | null
  /** The beginning of the response. */
  response: string
  /** Why it failed, and what comes next. */
  note: string
}
