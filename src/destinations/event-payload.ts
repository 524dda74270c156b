/** The payload of an event for a destination, and its JSON Schema, both from one list of fields. */

import { hasExtension } from '../leads/body/phone.ts'
import { labelNames } from '../leads/lead/labels.ts'
import { type EventType, eventTypes, everyEvent } from '../leads/lead/lead-events.ts'
import { exactMoment, MINUTE } from '../platform/time.ts'
import type { Delivery } from '../store/destinations/deliveries.ts'
import type { ToldLead as Lead } from '../store/destinations/told-leads.ts'

type Field = {
  schema: Record<string, unknown>
  about: string
  of: (lead: Lead, consoleUrl: string) => unknown
  /** The value for an invented lead, or a function of the moment and the console's URL. */
  sample: unknown
}

type Invented = { now: number; consoleUrl: string }

/** How long an invented lead waits, in milliseconds. */
const WAITING = 20 * MINUTE

const text = { type: 'string' }
const textOrNull = { type: ['string', 'null'] }
const texts = { type: 'array', items: text }
const moment = { type: 'string', format: 'date-time' }

/** The facts that every destination gets: no personal data, but enough to look the lead up. */
const always = {
  id: { schema: { type: 'integer' }, about: 'the number of the lead', of: ({ id }) => id, sample: 0 },
  kind: {
    schema: { enum: ['site', 'student'] },
    about: 'an employer or partner (site), or a student',
    of: ({ kind }) => kind,
    sample: 'student',
  },
  stage: { schema: text, about: 'its stage', of: ({ stage }) => stage, sample: 'new' },
  closedReason: { schema: textOrNull, about: 'why it was closed', of: lead => lead.closed_reason, sample: null },
  counselor: {
    schema: textOrNull,
    about: 'the id of its counselor; null: the team',
    of: ({ owner }) => owner,
    sample: null,
  },
  mergedInto: {
    schema: { type: ['integer', 'null'] },
    about: 'the lead that it was merged into',
    of: lead => lead.merged_into,
    sample: null,
  },
  url: {
    schema: { type: 'string', format: 'uri' },
    about: 'its page',
    of: ({ id }, url) => `${url}/leads/${id}`,
    sample: ({ consoleUrl }: Invented) => `${consoleUrl}/leads/0`,
  },
} as const satisfies Record<string, Field>

/** The facts that an admin can add. */
const chosen = {
  firstName: { schema: text, about: 'first name', of: lead => lead.first_name, sample: 'Sam' },
  lastName: { schema: text, about: 'last name', of: lead => lead.last_name, sample: 'Sample' },
  email: { schema: textOrNull, about: 'email address', of: ({ email }) => email, sample: 'sam@mail.example' },
  phone: {
    schema: textOrNull,
    about: 'phone number in E.164, or as it was written',
    // E.164 has no extensions.
    of: ({ phone, phone_e164 }) => (phone && hasExtension(phone) ? phone : (phone_e164 ?? phone)),
    sample: '+12025550123',
  },
  company: { schema: textOrNull, about: 'company', of: ({ company }) => company, sample: null },
  state: { schema: textOrNull, about: 'state', of: ({ state }) => state, sample: 'IL' },
  programs: {
    schema: texts,
    about: 'programs of interest',
    of: ({ labels }) => labelNames(labels, 'program'),
    sample: ['Welding'],
  },
  tags: { schema: texts, about: 'tags', of: ({ labels }) => labelNames(labels, 'tag'), sample: [] },
  message: {
    schema: textOrNull,
    about: 'message of the latest inquiry',
    of: ({ message }) => message,
    sample: 'Is there a class in the “evening”?\nI work until five.',
  },
  language: { schema: textOrNull, about: 'language of the form', of: ({ language }) => language, sample: 'en' },
  campaign: { schema: textOrNull, about: 'campaign that they came from', of: ({ campaign }) => campaign, sample: null },
  createdAt: {
    schema: moment,
    about: 'when they first wrote',
    of: lead => exactMoment(lead.created_at),
    sample: ({ now }: Invented) => exactMoment(now - WAITING),
  },
  waitingSince: {
    schema: { type: ['string', 'null'], format: 'date-time' },
    about: 'when they began to wait for us',
    of: lead => {
      const since = lead.unanswered_since ?? (lead.stage === 'new' ? lead.created_at : null)
      return since === null ? null : exactMoment(since)
    },
    sample: ({ now }: Invented) => exactMoment(now - WAITING),
  },
} as const satisfies Record<string, Field>

export type FieldName = keyof typeof chosen

/** The facts about a lead that an admin can choose, besides the numbers and the link that every destination gets. */
export const everyField = Object.keys(chosen) as FieldName[]

/** The facts that every destination gets about a lead. */
export const alwaysTold = Object.keys(always)

export const fieldInWords = (name: FieldName): string => chosen[name].about

export type Payload = {
  type: string
  timestamp: string
  data: { lead?: Record<string, unknown> } & Record<string, unknown>
}

/** The payload of an event. The lead is as it is now, which may be later than the event. */
export function payloadOf({ type, at, leadId, facts, lead, destination }: Delivery, consoleUrl: string): Payload {
  const shown =
    lead === undefined ? leadId !== null && { id: leadId } : toldOf(lead, { consoleUrl, fields: destination.fields })
  return { type, timestamp: exactMoment(at), data: { ...(shown && { lead: shown }), ...facts } }
}

/** The part of the payload about a lead, with the chosen `fields`. */
export const toldOf = (
  lead: Lead,
  { consoleUrl, fields }: { consoleUrl: string; fields: readonly string[] },
): Record<string, unknown> => Object.fromEntries(fieldsOf(fields).map(([name, { of }]) => [name, of(lead, consoleUrl)]))

/** The JSON Schema of that part, with these fields. */
export const toldSchema = (fields: readonly string[]) => {
  const told = Object.fromEntries(fieldsOf(fields))
  return { type: 'object', properties: propertiesOf(told), required: Object.keys(told) }
}

/** The part of the payload about an invented lead. */
export const samplePayload = (type: string, names: readonly string[], invented: Invented): Payload => ({
  type,
  timestamp: exactMoment(invented.now),
  data: {
    lead: Object.fromEntries(
      fieldsOf(names).map(([name, { sample }]) => [name, typeof sample === 'function' ? sample(invented) : sample]),
    ),
  },
})

const fieldsOf = (names: readonly string[]): [string, Field][] => [
  ...Object.entries(always),
  ...Object.entries(chosen).filter(([name]) => names.includes(name)),
]

/** The JSON Schema (2020-12) of the body of each event. A change that breaks receivers gets another version. */
export const eventSchemas = () => ({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Events that Frontdesk sends, version 1',
  oneOf: everyEvent.map(type => ({ $ref: `#/$defs/${type}` })),
  $defs: {
    lead: {
      type: 'object',
      description: 'The lead as it is when the event is sent. Those fields that are not required were chosen.',
      properties: propertiesOf({ ...always, ...chosen }),
      required: Object.keys(always),
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
        ...(type !== 'report.weekly' && { lead: type === 'lead.erased' ? erasedLead : { $ref: '#/$defs/lead' } }),
        ...facts[type],
      },
      required: [...(type === 'report.weekly' ? [] : ['lead']), ...Object.keys(facts[type] ?? {}).filter(isAlways)],
    },
  },
  required: ['type', 'timestamp', 'data'],
})

const isAlways = (fact: string): boolean => fact !== 'completes'

const erasedLead = { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] }

const facts: Partial<Record<EventType, Record<string, unknown>>> = {
  'lead.created': { submission: { type: 'integer', description: 'the number of the inquiry' } },
  'submission.received': {
    submission: { type: 'integer', description: 'the number of the inquiry' },
    completes: { const: true, description: 'it completes or corrects the inquiry before it; otherwise left out' },
  },
  'lead.merged': { other: { type: 'integer', description: 'the number of the other lead' } },
  'report.weekly': {
    report: {
      type: 'object',
      properties: {
        first: { type: 'string', format: 'date', description: 'the Monday of the week' },
        last: { type: 'string', format: 'date', description: 'its Sunday' },
        students: { type: 'integer', description: 'students who wrote in' },
        sites: { type: 'integer', description: 'employers and partners who wrote in' },
        reached: { type: 'integer', description: 'how many of them were reached' },
        untried: { type: 'integer', description: 'how many of them no one has tried to reach' },
        url: { type: 'string', format: 'uri', description: 'the page of the report' },
      },
      required: ['first', 'last', 'students', 'sites', 'reached', 'untried', 'url'],
    },
  },
}
