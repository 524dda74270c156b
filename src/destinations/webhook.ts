/** Webhooks, as Standard Webhooks 1.0.0 describes them. */
import { DAY } from '../platform/time.ts'
import type { DestinationKind } from './destination-kind.ts'
import { newKeys, signedHeaders, type WebhookKeys } from './webhook-keys.ts'

export type WebhookSettings = {
  url: string
  keys: WebhookKeys
  /** The keys before, which also sign until then. */
  previous?: { keys: WebhookKeys; until: number }
}

/** How long both keys sign after a change, in milliseconds. */
const OVERLAP = DAY

export const rotated = ({ url, keys }: WebhookSettings, now: number): WebhookSettings => ({
  url,
  keys: newKeys(),
  previous: { keys, until: now + OVERLAP },
})

export const webhook: DestinationKind = {
  name: 'Webhook',
  request: ({ delivery, body, settings, now }) => {
    const { url, keys, previous } = settings as WebhookSettings
    const signing = previous !== undefined && now < previous.until ? [keys, previous.keys] : [keys]
    const headers = {
      'Content-Type': 'application/json',
      'User-Agent': 'Frontdesk',
      ...signedHeaders({ id: delivery.eventId, body, now }, signing),
    }
    return { url, headers, body }
  },
  verdict: ({ status, headers }) => {
    if (status >= 200 && status < 300) return 'delivered'
    if (status === 410) return 'gone'
    return headers['webhook-delivery'] === 'abort-message' ? 'stop' : 'failed'
  },
}
