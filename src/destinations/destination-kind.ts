/** What there is to know of a kind of destination. */
import type { Delivery } from '../store/destinations/deliveries.ts'
import type { OutgoingRequest, Received } from './guarded-request.ts'

/** What a response means. `gone`: the receiver no longer exists. `stop`: do not send this event again. */
export type Verdict = 'delivered' | 'failed' | 'gone' | 'stop'

export type DestinationKind = {
  name: string
  /** `body` is the event as JSON, `settings` what is sealed with the destination. */
  request(event: { delivery: Delivery; body: string; settings: unknown; now: number }): OutgoingRequest
  verdict(response: Received): Verdict
}
