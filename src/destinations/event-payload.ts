/** What a destination is told of an event, and the JSON Schema of it: both from one list of fields. */
import { type EventType, eventTypes, everyEvent } from '../leads/lead/lead-events.ts'
import type { Delivery } from '../store/destinations/deliveries.ts'

type LeadRow = NonNullable<Delivery['lead']>

type Field = { schema: Record<string, unknown>; about: string; of: (lead: LeadRow, consoleUrl: string) => unknown }

const text = { type: 'string' }
const textOrNull = { type: ['string', 'null'] }
const moment = { type: 'string', format: 'date-time' }

/** No personal data: enough to look the lead up. */
const thin: Record<string, Field> = {
  id: { schema: { type: 'integer' }, about: 'the number of the lead', of: ({ id }) => id },
  kind: {
    schema: { enum: ['site', 'student'] },
    about: 'an employer or partner (site), or a student',
    of: ({ kind }) => kind,
  },
  stage: { schema: text, about: 'its stage', of: ({ stage }) => stage },
  closedReason: { schema: textOrNull, about: 'why it was closed', of: lead => lead.closed_reason },
  counselor: { schema: textOrNull, about: 'the id of its counselor; null: the team', of: ({ owner }) => owner },
  mergedInto: {
    schema: { type: ['integer', 'null'] },
    about: 'the lead that it was merged into',
    of: lead => lead.merged_into,
  },
  url: { schema: { type: 'string', format: 'uri' }, about: 'its page', of: ({ id }, url) => `${url}/leads/${id}` },
}

/** What the lead's person said of themselves, in addition. */
const full: Record<string, Field> = {
  firstName: { schema: text, about: 'first name', of: lead => lead.first_name },
  lastName: { schema: text, about: 'last name', of: lead => lead.last_name },
  email: { schema: textOrNull, about: 'email address', of: ({ email }) => email },
  phone: { schema: textOrNull, about: 'phone number in E.164', of: lead => lead.phone_e164 },
  company: { schema: textOrNull, about: 'company', of: ({ company }) => company },
  state: { schema: textOrNull, about: 'state', of: ({ state }) => state },
  language: { schema: textOrNull, about: 'the language of the form that they used', of: ({ language }) => language },
  campaign: { schema: textOrNull, about: 'the campaign that they came from', of: ({ campaign }) => campaign },
  createdAt: { schema: moment, about: 'when they first wrote', of: lead => new Date(lead.created_at).toISOString() },
}

/** The body for an event, as JSON. The lead is as it is now, which may be later than the event. */
export function payloadOf({ type, at, leadId, facts, lead, destination }: Delivery, consoleUrl: string): string {
  const fields = destination.payload === 'full' ? { ...thin, ...full } : thin
  const shown =
    lead === undefined
      ? leadId !== null && { id: leadId }
      : Object.fromEntries(Object.entries(fields).map(([name, { of }]) => [name, of(lead, consoleUrl)]))
  const data = { ...(shown && { lead: shown }), ...facts }
  return JSON.stringify({ type, timestamp: new Date(at).toISOString(), data })
}

/** The JSON Schema (2020-12) of the body of each event. A change that breaks receivers gets another version. */
export const eventSchemas = () => ({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Events that Frontdesk sends, version 1',
  oneOf: everyEvent.map(type => ({ $ref: `#/$defs/${type}` })),
  $defs: {
    lead: {
      type: 'object',
      description: 'The lead as it is when the event is sent. A thin payload has only the required fields.',
      properties: propertiesOf({ ...thin, ...full }),
      required: Object.keys(thin),
    },
    ...Object.fromEntries(everyEvent.map(type => [type, schemaOf(type)])),
  },
})

const propertiesOf = (fields: Record<string, Field>) =>
  Object.fromEntries(
    Object.entries(fields).map(([name, { schema, about }]) => [name, { ...schema, description: about }]),
  )

const schemaOf = (type: EventType) => ({
  type: 'object',
  description: eventTypes[type],
  properties: {
    type: { const: type },
    timestamp: { ...moment, description: 'when it happened' },
    data: {
      type: 'object',
      properties: {
        lead:
          type === 'lead.erased'
            ? { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] }
            : { $ref: '#/$defs/lead' },
        ...facts[type],
      },
      required: ['lead', ...Object.keys(facts[type] ?? {})],
    },
  },
  required: ['type', 'timestamp', 'data'],
})

const facts: Partial<Record<EventType, Record<string, unknown>>> = {
  'lead.created': { submission: { type: 'integer', description: 'the number of the inquiry' } },
  'submission.received': { submission: { type: 'integer', description: 'the number of the inquiry' } },
  'lead.merged': { other: { type: 'integer', description: 'the number of the other lead' } },
}
