/** The routes of the private API by which a program subscribes a URL to an event, as Zapier calls a REST hook. */
import { createHmac } from 'node:crypto'
import type { DestinationKind } from '../../destinations/destination-kind.ts'
import { everyField, samplePayload } from '../../destinations/event-payload.ts'
import { kindNamed } from '../../destinations/kinds.ts'
import { checkedUrl, ForbiddenUrl } from '../../destinations/send-request.ts'
import { type EventType, everyEvent } from '../../leads/lead/lead-events.ts'
import type { Destination } from '../../store/destinations/destinations.ts'
import { addDestination, TOO_MANY } from '../destinations/add-destination.ts'
import { apiErrors } from './api-errors.ts'
import { type ApiCall, type ApiRoute, auditOf, type Schema } from './api-route.ts'

const WEBHOOK = 'webhook'
const webhook = kindNamed(WEBHOOK) as DestinationKind

/** The weekly report has figures and no lead, so only webhooks that an admin adds can get it. */
const events = everyEvent.filter(type => type !== 'report.weekly')

const everyLead = { kind: null, stages: [], states: [], programs: [], tags: [] }

/** The longest URL, in UTF-16 units. */
const LONGEST_URL = 2000

const event = { enum: events, description: 'what happened; lead.erased is always sent, too' }

const hookSchema = (more: Record<string, Schema> = {}): Schema => {
  const properties = {
    id: { type: 'integer' },
    event: { enum: events },
    host: { type: 'string', description: 'the host of the URL' },
    on: { type: 'boolean', description: 'false: it was switched off, since it failed for days or an admin did so' },
    ...more,
  }
  return { type: 'object', properties, required: Object.keys(properties) }
}

const shared = { scope: 'hooks', action: 'manage destinations' } as const

export const hookRoutes: ApiRoute[] = [
  {
    ...shared,
    method: 'GET',
    path: '/hooks',
    name: 'listHooks',
    summary: 'List the subscriptions of this token',
    response: { type: 'object', properties: { hooks: { type: 'array', items: hookSchema() } }, required: ['hooks'] },
    handle: async call => ({ hooks: (await hooksOf(call)).map(inWords) }),
  },
  {
    ...shared,
    method: 'POST',
    path: '/hooks',
    name: 'subscribe',
    summary: 'Subscribe a URL to an event',
    description:
      'It becomes a webhook under Destinations. With the scope leads:read, it gets all fields of leads, otherwise only ids. Sent twice, it is one subscription, and the secret comes once.',
    body: {
      type: 'object',
      properties: { targetUrl: { type: 'string', format: 'uri' }, event },
      required: ['targetUrl', 'event'],
    },
    response: hookSchema({
      secret: { type: ['string', 'null'], description: 'what requests are signed with; null if it was sent before' },
    }),
    status: 201,
    errors: [400, 409],
    handle: subscribe,
  },
  {
    ...shared,
    method: 'GET',
    path: '/hooks/sample',
    name: 'readSample',
    summary: 'Read a sample of an event',
    description: 'It is about an invented lead: for programs that show which fields there are.',
    query: { event: { schema: event, description: 'Default: lead.created' } },
    response: { type: 'array', items: { type: 'object' } },
    errors: [400],
    handle: readSample,
  },
  {
    ...shared,
    method: 'DELETE',
    path: '/hooks/{id}',
    name: 'unsubscribe',
    summary: 'End a subscription',
    response: { type: 'object', properties: { ended: { const: true } }, required: ['ended'] },
    errors: [404],
    handle: unsubscribe,
  },
]

const hooksOf = async ({ deps, token }: ApiCall): Promise<Destination[]> =>
  (await deps.store.listDestinations()).filter(({ tokenId }) => tokenId === token.id)

const inWords = ({ id, events: [type], host, off }: Pick<Destination, 'id' | 'events' | 'host' | 'off'>) => ({
  id,
  event: type,
  host,
  on: off === undefined,
})

const fieldsFor = ({ token }: ApiCall) => (token.scopes.includes('leads:read') ? everyField : [])

async function subscribe(call: ApiCall) {
  const { deps, token, body } = call
  const [url, type] = [String(body['targetUrl']), body['event'] as EventType]
  checkUrl(url, deps.config.destinationNetworks)
  const name = `${token.name} (token): ${type}`
  const subscription = await addDestination(deps, {
    kind: [WEBHOOK, webhook],
    choices: { name, events: [type], fields: [...fieldsFor(call)], filter: everyLead },
    values: { url },
    audit: [auditOf(call, 'added a destination', { detail: name })],
    ref: refOf(deps.secretKey, [token.id, type, url]),
    tokenId: token.id,
  })
  if (subscription === 'too many') throw apiErrors.tooManyHooks(TOO_MANY)
  const { id, added, keys } = subscription
  const one = await deps.store.readDestination(id)
  if (one === undefined) throw apiErrors.noHook()
  const secret = added ? secretOf(keys) : null
  // What an admin has switched off stays off.
  if (one.off === undefined || one.off.reason === 'switched off') return { ...inWords(one), secret }
  const audit = auditOf(call, 'switched a destination on', { detail: name })
  await deps.store.switchOn(id, { missed: false, now: deps.clock.now(), audit: [audit] })
  deps.changed(['reports'])
  return { ...inWords({ ...one, off: undefined }), secret }
}

/** Two requests for the same subscription get the same reference, so that there is only one subscription. */
const refOf = (secretKey: string, about: readonly unknown[]): string =>
  createHmac('sha256', secretKey)
    .update(JSON.stringify(['hook', ...about]))
    .digest('base64url')

const secretOf = (keys: unknown): string | null => webhook.keys?.shown(keys).find(({ secret }) => secret)?.value ?? null

function checkUrl(url: string, networks: readonly string[]): void {
  if (url.length > LONGEST_URL) throw apiErrors.invalid(`targetUrl must have at most ${LONGEST_URL} characters`)
  try {
    checkedUrl(url, networks)
  } catch (error) {
    if (error instanceof ForbiddenUrl) throw apiErrors.invalid(`targetUrl cannot be used: ${error.message}`)
    throw error
  }
}

async function readSample(call: ApiCall) {
  const { event: type = 'lead.created' } = call.query
  if (!events.some(one => one === type)) throw apiErrors.invalid(`event must be one of ${events.join(', ')}`)
  const { clock, config } = call.deps
  return [samplePayload(type, fieldsFor(call), { now: clock.now(), consoleUrl: config.consoleUrl })]
}

async function unsubscribe(call: ApiCall) {
  const { deps, token, id } = call
  const one = await deps.store.readDestination(id)
  if (one === undefined || one.tokenId !== token.id) throw apiErrors.noHook()
  const audit = [auditOf(call, 'deleted a destination', { detail: one.name })]
  if (!(await deps.store.deleteDestination(id, { now: deps.clock.now(), audit }))) throw apiErrors.noHook()
  deps.changed(['reports'])
  return { ended: true }
}
