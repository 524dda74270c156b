/** Everything about a kind of destination: what someone types, how an event becomes requests, what a response means. */
import type { EventType } from '../leads/lead/lead-events.ts'
import type { FieldName } from './event-payload.ts'
import type { ResponseWords } from './response-words.ts'
import type { Received, Send } from './send-request.ts'

/** What a response means. `gone`: the receiver no longer exists. `stop`: do not send this event again. */
export type Verdict = 'delivered' | 'failed' | 'gone' | 'stop'

/** The values that someone typed into the inputs of a kind, by the inputs' names. Each kind has a `url`. */
export type Values = Record<string, string>

/** The sealed settings of a destination: the typed values, and the keys that its kind makes, if any. */
export type Sealed = { values: Values; keys?: unknown }

export type Input = {
  name: string
  label: string
  /** What a person should know before they type. */
  hint: string
  /** `secret`: the value is never shown again, and an empty field keeps it. `lines`: the value has several lines. */
  secret?: boolean
  lines?: boolean
  /** The values to choose from. */
  choices?: readonly string[]
  /** The value that a new destination begins with. */
  value?: string
  /** Default: it must not be empty. */
  optional?: boolean
}

/** An event in the form in which a kind gets it. */
export type Told = {
  type: string
  /** Every attempt has the same id. */
  eventId: string
  /** When it happened, in RFC 3339. */
  timestamp: string
  data: { lead?: Record<string, unknown> } & Record<string, unknown>
  values: Values
  keys: unknown
  now: number
  /** Whether the receiver may have received the event before: an attempt had no response, or someone sends it again. */
  again: boolean
}

export type DestinationKind = {
  name: string
  /** A sentence that says which programs it is for. */
  about: string
  /** The page of the documentation. */
  guide: string
  /** The events that it can get. A new destination gets all except the ones in `quiet`. */
  events: readonly EventType[]
  quiet?: readonly EventType[]
  /** The facts about a lead that an admin can choose for it, and those that a new destination gets. */
  fields: readonly FieldName[]
  chosen: readonly FieldName[]
  /** The chosen facts, for a kind whose inputs name them. */
  fieldsIn?(values: Values): FieldName[]
  inputs: readonly Input[]
  /** What is wrong with the typed values, except for the URL: sentences by the names of inputs. */
  problems?(values: Values): Record<string, string | undefined>
  /** The keys that sign requests. `shown`: what the receiver needs; a secret is shown once. */
  keys?: {
    /** How long the replaced keys also sign, in milliseconds. */
    overlap: number
    make(): unknown
    renew(keys: unknown, now: number): unknown
    shown(keys: unknown): { label: string; value: string; secret: boolean }[]
  }
  /** What a test event is about: nothing, or an invented lead. */
  test: 'nothing' | 'an invented lead'
  /** A sentence that says why an event may not have arrived although the receiver reported success. */
  unconfirmed?: string
  /**
   * Sends the requests for an event: one, or several, each after the response to the one before. The returned response
   * decides. Throws a NotTold for an event that this receiver does not get, an Unsendable if no request can be made
   * from the event, and an AccessRefused if the receiver does not give access. The last two are tried again, since
   * someone may fix the cause.
   */
  tell(told: Told, send: Send): Promise<Received>
  /** The request that `tell` would send, for a person to read. Throws an Unsendable, too. */
  preview?(told: Told): string
  /** What the response means for the event. 410 is not asked about: it is `gone` for every kind. */
  verdict(response: Received, type: string): Verdict
  /** What responses mean, and what to do, where this receiver is more particular than others. */
  responses?: ResponseWords
}

/** Why a receiver does not get an event, which is not tried again. */
export class NotTold extends Error {
  override name = 'NotTold'
}

/** Thrown if a receiver does not give access; contains its response. */
export class AccessRefused extends Error {
  override name = 'AccessRefused'
  readonly response: Received
  constructor(response: Received) {
    super(`access was refused (${response.status})`)
    this.response = response
  }
}

/** Why an event cannot be sent. */
export class Unsendable extends Error {
  override name = 'Unsendable'
}
