/**
 * Requests that the documents show, each with its response. The responses come from the code that handles real
 * requests, so that no document can say anything else.
 */
import type { Settings } from '../../config/settings.ts'
import { type RankedField, studentInterestSchema } from '../../leads/body/body-schemas.ts'
import {
  type ParseContext,
  type ParsedSite,
  type ParsedStudent,
  parseSiteInterest,
  parseStudentInterest,
} from '../../leads/body/parse.ts'
import { asSentence } from '../../leads/body/problems.ts'
import { statesWith } from '../../leads/body/states.ts'
import { parseJson } from '../body.ts'

export type Example = {
  /** Unique within the operation. */
  name: string
  /** What the example shows, as a sentence. */
  summary: string
  /** JSON, or a text that is not valid JSON. */
  body: object | string
  status: 200 | 400
  response: { success: true } | { error: string }
}

const siteAnswers = {
  firstName: 'Ana',
  lastName: 'Ruiz',
  email: 'ana.ruiz@mercy.example',
  phone: '(512) 555-0142',
  company: 'Mercy Hospital',
  address: '100 Main Street, Austin, TX 78701',
  website: '',
}

const minimalStudent = {
  firstName: 'Ben',
  lastName: 'Okafor',
  email: 'ben.okafor@mail.example',
  phone: '512-555-0199',
  idempotencyKey: '5f0c2b9e-7d1a-4c55-9a44-2f6c1f0e8b11',
}

const ranked: RankedField[] = ['interestLevel', 'timeline', 'experience', 'source']

/**
 * Operation A: accepted requests, then one request for each typical mistake. `today`: when the day began; a form that
 * was started on another day would be marked for the team.
 */
export function siteExamples(settings: Settings, today: number): Example[] {
  const minimalSite = { ...siteAnswers, startedAt: today }
  const trapAccepted = settings.siteInterest.honeypot === 'accept'
  const example = exampleMaker(
    body => parseSiteInterest(body, contextOf(settings, today)),
    parsed => parsed.ok || (parsed.trapped !== undefined && trapAccepted),
  )
  return [
    example('minimal', 'Required fields only.', minimalSite),
    example('complete', 'With a message.', {
      ...minimalSite,
      message: 'We would like to host two students in spring.\nMornings are best to call.',
    }),
    example('missingFields', 'Without `company` and `address`.', without(minimalSite, 'company', 'address')),
    example('wrongValues', 'With three wrong values; the error names all of them.', {
      ...minimalSite,
      firstName: 'A',
      email: 'ana.ruiz',
      phone: '555-0142',
    }),
    example('filledHoneypot', 'With `website` filled in.', { ...minimalSite, website: 'https://mercy.example' }),
    example('seconds', 'With `startedAt` in seconds.', { ...minimalSite, startedAt: Math.floor(today / 1000) }),
    example('unknownProperty', 'With a property `organization`.', { ...minimalSite, organization: 'Mercy Hospital' }),
    example('notJson', 'Not JSON: `{"firstName": "Ana", lastName: "Ruiz"}`.', '{"firstName": "Ana", lastName: "Ruiz"}'),
  ]
}

/** Operation B, with ranked answers that the settings allow. */
export function studentExamples(settings: Settings, today: number): Example[] {
  const example = exampleMaker(
    body => parseStudentInterest(body, contextOf(settings, today)),
    parsed => parsed.ok,
  )
  const answerTo = (field: RankedField): string =>
    settings.studentInterest.answers[field]?.allowed?.[0] ?? studentInterestSchema.properties[field].examples[0]
  return [
    example('minimal', 'Required fields only.', minimalStudent),
    example('complete', 'With every field.', {
      ...without(minimalStudent, 'idempotencyKey'),
      city: 'Austin',
      state: 'TX',
      ...Object.fromEntries(ranked.map(field => [field, answerTo(field)])),
      employer: 'Lone Star Logistics',
      message: 'Are there evening classes?',
      idempotencyKey: 'c1f7a0de-93b4-4b0e-8a7c-6f2d5e4b9a10',
    }),
    example('missingFields', 'Without `lastName`.', without(minimalStudent, 'lastName')),
    example('wrongValues', 'With four wrong values; the error names all of them.', {
      ...minimalStudent,
      email: 'ben.okafor',
      phone: '555-0199',
      state: 'Texarkana',
      timeline: 'soon',
    }),
  ]
}

/** Makes examples of one operation, each with the response that its parser leads to. */
function exampleMaker<Parsed extends ParsedSite | ParsedStudent>(
  parse: (body: unknown) => Parsed,
  isAccepted: (parsed: Parsed) => boolean,
) {
  return (name: string, summary: string, body: object | string): Example => {
    try {
      const parsed = parse(typeof body === 'string' ? parseJson(Buffer.from(body)) : body)
      if (isAccepted(parsed) || parsed.ok) {
        return { name, summary, body, status: 200, response: { success: true } }
      }
      return { name, summary, body, status: 400, response: { error: asSentence(parsed.problems) } }
    } catch (error) {
      return { name, summary, body, status: 400, response: { error: (error as Error).message } }
    }
  }
}

const contextOf = ({ studentInterest }: Settings, now: number): ParseContext => ({
  now,
  states: statesWith(studentInterest.states),
  answers: studentInterest.answers,
})

const without = (body: object, ...fields: string[]): object =>
  Object.fromEntries(Object.entries(body).filter(([field]) => !fields.includes(field)))
