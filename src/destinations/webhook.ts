/** Webhooks, as Standard Webhooks 1.0.0 describes them. */
import { everyEvent } from '../leads/lead/lead-events.ts'
import { DAY } from '../platform/time.ts'
import type { DestinationKind } from './destination-kind.ts'
import { everyField } from './event-payload.ts'
import { newKeys, publicKeyOf, signedHeaders, type WebhookKeys } from './webhook-keys.ts'

type Keys = {
  current: WebhookKeys
  /** The replaced keys, which also sign until that moment. */
  previous?: { keys: WebhookKeys; until: number }
}

const OVERLAP = DAY

export const webhook: DestinationKind = {
  name: 'Webhook',
  about: 'Your own program, n8n, Make or Zapier: signed JSON, as Standard Webhooks describes it.',
  guide: 'docs/webhooks.md',
  events: everyEvent,
  fields: everyField,
  chosen: [],
  inputs: [
    {
      name: 'url',
      label: 'URL',
      hint: 'We send events there. It is stored encrypted, and not shown again.',
      secret: true,
    },
  ],
  keys: {
    overlap: OVERLAP,
    make: (): Keys => ({ current: newKeys() }),
    renew: (keys, now): Keys => ({
      current: newKeys(),
      previous: { keys: (keys as Keys).current, until: now + OVERLAP },
    }),
    shown: keys => [
      { label: 'Secret, for v1', value: (keys as Keys).current.secret, secret: true },
      { label: 'Public key, for v1a', value: publicKeyOf((keys as Keys).current), secret: false },
    ],
  },
  test: 'nothing',
  tell: ({ type, eventId, timestamp, data, values: { url = '' }, keys, now }, send) => {
    const { current, previous } = keys as Keys
    const signing = previous !== undefined && now < previous.until ? [current, previous.keys] : [current]
    const body = JSON.stringify({ type, timestamp, data })
    const headers = { 'Content-Type': 'application/json', ...signedHeaders({ id: eventId, body, now }, signing) }
    return send({ method: 'POST', url, headers, body })
  },
  verdict: ({ status, headers }) => {
    if (status >= 200 && status < 300) return 'delivered'
    return headers['webhook-delivery'] === 'abort-message' ? 'stop' : 'failed'
  },
}
