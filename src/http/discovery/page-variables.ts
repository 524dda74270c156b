/** The Liquid variables of the public pages and `/llms.txt`: every fact about the service. */
import { maxHeaderSize, STATUS_CODES } from 'node:http'
import type { Settings } from '../../config/settings.ts'
import { mailtoLink } from '../../content/contact-links.ts'
import { schoolVariables } from '../../content/school-variables.ts'
import {
  type RankedField,
  siteInterestSchema,
  studentInterestSchema,
} from '../../leads/body-schemas.ts'
import { FINGERPRINT_LIFETIME } from '../../leads/idempotency.ts'
import { PHONE_DIGITS } from '../../leads/phone.ts'
import { HOUR, MINUTE } from '../../platform/time.ts'
import { LOCKOUT } from '../../store/lockout.ts'
import { BODY_LIMIT } from '../body.ts'
import { HEADERS_TIMEOUT, REQUEST_TIMEOUT } from '../listeners.ts'
import { addressLimits } from '../rate-limits.ts'
import { urlsOf } from '../urls.ts'
import { type Example, siteExamples, studentExamples } from './examples.ts'
import { AGENT_RULE, NOT_OFFERED } from './policy.ts'
import type { PublicConfig } from './public-config.ts'
import { type DocumentedResponse, siteResponses, studentResponses } from './responses.ts'

/** Values are plain text or numbers, or null if there is nothing to say. */
export function publicPageVariables(config: PublicConfig) {
  const { settings } = config
  const { accounts, contacts, pricing, siteInterest, studentInterest } = settings
  return {
    school: schoolVariables(settings.school),
    urls: urlsOf(config),
    agent_rule: AGENT_RULE,
    not_offered: NOT_OFFERED.join(', '),
    limits: {
      body_kib: BODY_LIMIT / 1024,
      burst: addressLimits.burst.points,
      burst_minutes: addressLimits.burst.duration / MINUTE,
      day: addressLimits.day.points,
      lockout: LOCKOUT.points,
      lockout_window_hours: LOCKOUT.duration / HOUR,
      lockout_minutes: LOCKOUT.block / MINUTE,
      header_kib: maxHeaderSize / 1024,
      header_seconds: HEADERS_TIMEOUT / 1000,
      request_seconds: REQUEST_TIMEOUT / 1000,
      same_body_hours: FINGERPRINT_LIFETIME / HOUR,
    },
    honeypot: siteInterest.honeypot,
    accounts: accounts.directory === 'none' ? 'none' : accounts.feedback,
    site: {
      fields: fieldsOf(siteInterestSchema),
      ...documentation(siteExamples(settings), siteResponses(config)),
    },
    student: {
      fields: fieldsOf(studentInterestSchema, studentInterest.answers),
      ranked_settled: Object.values(studentInterest.answers).some(answer => answer?.allowed),
      ...documentation(studentExamples(settings), studentResponses(config)),
    },
    pricing: {
      as_of: pricing.asOf,
      charges: pricing.charges.map(charge => ({ note: null, ...charge })),
    },
    developer_contact: contacts.developers ?? null,
    developer_contact_url: contacts.developers ? mailtoLink(contacts.developers) : null,
    privacy_url: contacts.privacy ?? null,
    security_contact: contacts.security ?? null,
  }
}

export type PublicPageVariables = ReturnType<typeof publicPageVariables>

/** The example bodies of an operation, by their names, and its responses. */
const documentation = (examples: Example[], responses: DocumentedResponse[]) => ({
  examples: Object.fromEntries(examples.map(({ name, body }) => [name, body])),
  answers: responses.map(({ examples, ...response }) => ({
    ...response,
    reason: STATUS_CODES[response.status],
    examples: examples.map(({ summary, body }) => ({ summary, body: JSON.stringify(body) })),
  })),
})

type Schema = { properties: Record<string, Property>; required: readonly string[] }
type Property = {
  type: string
  format?: string
  description: string
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
}

/** The rows of the table of fields, in the order of the schema. */
const fieldsOf = (schema: Schema, answers: Settings['studentInterest']['answers'] = {}) =>
  Object.entries(schema.properties).map(([name, property]) => ({
    name,
    type: property.type,
    required: schema.required.includes(name),
    limits: limitsInWords(property),
    description: property.description,
    allowed: answers[name as RankedField]?.allowed ?? null,
  }))

function limitsInWords({ format, minLength = 0, maxLength, minimum, maximum }: Property): string {
  if (maxLength === undefined) return `${minimum} to ${maximum}`
  if (maxLength === 0) return 'the empty string'
  if (format === 'phone') {
    const { least, most } = PHONE_DIGITS
    return `${minLength} to ${maxLength} characters, ${least} to ${most} of them digits`
  }
  return minLength > 1
    ? `${minLength} to ${maxLength} characters`
    : `at most ${maxLength} characters`
}
