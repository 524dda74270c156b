/** A request that an admin puts together, for programs that expect their own format, such as a CRM. */
import { everyEvent } from '../leads/lead/lead-events.ts'
import { parsedJson } from '../platform/json.ts'
import { type DestinationKind, type Told, Unsendable, type Values } from './destination-kind.ts'
import { everyField } from './event-payload.ts'
import { bodyFrom } from './liquid-body.ts'

const BODY = `{
  "id": {{ lead.id }},
  "first_name": {{ lead.firstName | json }},
  "last_name": {{ lead.lastName | json }},
  "email": {{ lead.email | json }},
  "phone": {{ lead.phone | json }},
  "link": {{ lead.url | json }}
}
`

/** Headers that the connection itself sets. */
const RESERVED = ['host', 'content-length', 'transfer-encoding', 'connection', 'upgrade', 'expect', 'te', 'trailer']

export const httpRequest: DestinationKind = {
  name: 'HTTP request',
  about: 'A CRM, a student information system, or any program with an HTTP API: you write the request.',
  guide: 'docs/http-requests.md',
  events: everyEvent,
  quiet: everyEvent.filter(type => type !== 'lead.created'),
  fields: everyField,
  chosen: ['firstName', 'lastName', 'email', 'phone'],
  inputs: [
    // The name is not `method`, because a form element has a property with that name, which scripts read.
    { name: 'verb', label: 'Method', hint: '', choices: ['POST', 'PUT', 'PATCH'] },
    {
      name: 'url',
      label: 'URL',
      hint: '{lead} becomes the number of the lead. It is stored encrypted, and not shown again.',
      secret: true,
    },
    {
      name: 'headers',
      label: 'Headers',
      hint: 'One on each line, such as Authorization: Bearer abc. They are stored encrypted, and not shown again.',
      secret: true,
      lines: true,
      optional: true,
    },
    {
      name: 'type',
      label: 'Content type',
      hint: '',
      choices: ['application/json', 'application/x-www-form-urlencoded', 'text/plain'],
    },
    {
      name: 'body',
      label: 'Body',
      hint: 'In Liquid. {{ lead.email | json }} puts a value into JSON, {{ lead.email | url_encode }} into a form.',
      lines: true,
      value: BODY,
    },
  ],
  problems: ({ headers = '', body = '' }) => ({ headers: problemOfHeaders(headers), body: problemOfTemplate(body) }),
  test: 'an invented lead',
  tell: (told, send) => {
    const { values } = told
    const { verb: method = 'POST', url = '', type = '' } = values
    return send({
      method,
      // The placeholder becomes a number or nothing, so it cannot lead to another host.
      url: url.replaceAll('{lead}', String(told.data.lead?.['id'] ?? '')),
      headers: { 'Content-Type': type, 'Idempotency-Key': told.eventId, ...headersIn(values) },
      body: bodyOf(told),
    })
  },
  preview: told => bodyOf(told),
  verdict: ({ status }) => (status >= 200 && status < 300 ? 'delivered' : 'failed'),
}

function bodyOf({ type, eventId, timestamp, data, values }: Told): string {
  const body = bodyFrom(values['body'] ?? '', { event: { type, id: eventId, timestamp }, ...data })
  if (values['type'] === 'application/json' && parsedJson(body) === undefined)
    throw new Unsendable('the body is not valid JSON: put each value into it with | json')
  return body
}

const headersIn = ({ headers = '' }: Values): Record<string, string> =>
  Object.fromEntries(
    headers
      .split('\n')
      .filter(line => line.trim() !== '')
      .map(line => {
        const colon = line.indexOf(':')
        return [line.slice(0, colon).trim(), line.slice(colon + 1).trim()]
      }),
  )

function problemOfHeaders(headers: string): string | undefined {
  const { validateHeaderName, validateHeaderValue } = process.getBuiltinModule('node:http')
  const lines = headers.split('\n').filter(line => line.trim() !== '')
  if (lines.some(line => !line.includes(':'))) return 'Write each header as a name, a colon and its value.'
  for (const [name, value] of Object.entries(headersIn({ headers }))) {
    if (RESERVED.includes(name.toLowerCase())) return `The header ${name} is set automatically. Leave it out.`
    try {
      validateHeaderName(name)
      validateHeaderValue(name, value)
    } catch {
      return `“${name}” has a character that a header cannot have.`
    }
  }
  return undefined
}

function problemOfTemplate(body: string): string | undefined {
  try {
    bodyFrom(body, {})
    return undefined
  } catch (error) {
    if (error instanceof Unsendable) return `This does not work: ${error.message}.`
    throw error
  }
}
