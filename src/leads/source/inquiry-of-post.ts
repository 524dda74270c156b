/**
 * Makes an inquiry from a source's post, by the rules of the two operations, or says what is wrong with it. An address
 * or a number is enough. Everything else that cannot be read becomes a line of the message, so that no one is lost.
 */
import {
  type Campaign,
  type Consent,
  clicksIn,
  type FormDetails,
  MOST_ANSWERS,
  named,
  type OwnAnswer,
  pageUrl,
  shortText,
} from '../body/form-details.ts'
import { type Once, postedKey } from '../body/idempotency.ts'
import { LONGEST_BY_STAFF, type ParseContext, parseSiteInterest, parseStudentInterest } from '../body/parse.ts'
import { REACH } from '../body/person-key.ts'
import { asSentence } from '../body/problems.ts'
import type { Kind } from '../body/submission.ts'
import { splitName } from '../import/inquiry-of-row.ts'
import { readGoogleLead } from './google-lead.ts'
import { type LeadSource, type SourceField, sourceFieldNames } from './lead-source.ts'
import { type Given, valuesIn } from './mapping.ts'

export type PostContext = Pick<ParseContext, 'now' | 'states' | 'answers'> & {
  /** The ids of clicks that the school keeps. */
  clickIds: readonly string[]
  /** The names of the school's programs. */
  programs: readonly string[]
}

export type PostedInquiry =
  | { problem: string }
  | { body: Record<string, unknown>; details: FormDetails; once: Once; id: string | undefined }

/** Makes an inquiry from a post, by the kind of its source or its mapping; or says what is wrong with it. */
export function inquiryOfPost(source: LeadSource, post: unknown, context: PostContext): PostedInquiry {
  const google = source.kind === 'google' ? readGoogleLead(post, source.leadKind) : undefined
  const given = google?.given ?? valuesIn(post, source.mapping)
  const { id, campaign, consent: _, consentText: __, consentPage: ___, program, ...said } = given
  const read = consentIn(given, context.now)
  const answers = google?.answers ?? []
  const chosen = context.programs.find(name => name.toLowerCase() === program?.trim().toLowerCase())
  const notes = [
    program !== undefined && chosen === undefined ? lineOf('program', program) : undefined,
    ...answers.slice(MOST_ANSWERS).map(({ question, answer }) => `${question}: ${answer}`),
    ...read.notes,
  ].filter(note => note !== undefined)
  const body = readable(source.leadKind, namesIn(said), notes, context)
  if ('problem' in body) return body
  return {
    body: body.body,
    details: {
      campaign: { source: source.name, ...named('campaign', shortText(campaign)) } satisfies Campaign,
      ...clicksOf(google?.gclid, context),
      language: source.language,
      placement: 'source',
      startedAt: context.now,
      consent: read.consent,
      ...named('program', chosen),
      ...(answers.length > 0 && { answers: answers.slice(0, MOST_ANSWERS) satisfies OwnAnswer[] }),
      source: { id: source.id, name: source.name, mayWrite: source.mayWrite },
    },
    once: postedKey(source.id, id, JSON.stringify(given)),
    id,
  }
}

const clicksOf = (gclid: string | undefined, { clickIds }: PostContext) =>
  clickIds.includes('gclid') ? clicksIn({ gclid }) : {}

/** Every lead needs these fields, but a source may leave them out. */
const NOT_GIVEN = '(not given)'
const placeholders: Record<Kind, readonly SourceField[]> = {
  student: ['firstName', 'lastName'],
  site: ['firstName', 'lastName', 'company', 'address'],
}

function namesIn({ fullName, ...said }: Given): Given {
  return fullName === undefined ? said : { ...splitName(fullName.trim()), ...said }
}

/** The body of the operation, without values that cannot be read; the message quotes these. */
function readable(
  kind: Kind,
  said: Given,
  notes: readonly string[],
  { now, states, answers }: PostContext,
): { body: Record<string, unknown> } | { problem: string } {
  const context: ParseContext = { now, states, answers, onBehalf: true }
  const parse = (values: Given) => {
    const filled = { ...Object.fromEntries(placeholders[kind].map(field => [field, NOT_GIVEN])), ...values }
    const body = kind === 'site' ? { ...filled, website: '', startedAt: now } : filled
    const parsed = kind === 'site' ? parseSiteInterest(body, context) : parseStudentInterest(body, context)
    return { body, problems: parsed.ok ? [] : parsed.problems }
  }
  const first = parse(withNotes(said, notes))
  const unread = first.problems.flatMap(problem => ('field' in problem ? (problem.field as SourceField) : []))
  if (unread.length === 0) return first.problems.length === 0 ? first : { problem: asSentence(first.problems) }
  const left = Object.entries(said).filter(([field]) => unread.includes(field as SourceField))
  const without = Object.fromEntries(Object.entries(said).filter(([field]) => !unread.includes(field as SourceField)))
  if (!REACH.some(field => without[field] !== undefined)) return { problem: asSentence(first.problems) }
  const lines = left.map(([field, text]) => lineOf(field as SourceField, text))
  const second = parse(withNotes(without, [...lines, ...notes]))
  return second.problems.length === 0 ? second : { problem: asSentence(second.problems) }
}

/** A line of the message about a value that has no field, or cannot be read. */
const lineOf = (field: SourceField, text: string): string => `${sourceFieldNames[field]}: ${safe(text)}`

function withNotes(said: Given, notes: readonly string[]): Given {
  const message = [said.message, ...notes.map(safe)].filter(Boolean).join('\n').slice(0, LONGEST_BY_STAFF)
  return message === '' ? said : { ...said, message: message.toWellFormed() }
}

/** The text without characters that a message must not contain. */
const safe = (text: string): string => text.toWellFormed().replace(/[^\P{C}\n\t]/gu, ' ')

const YES = /^(?:true|yes|y|1|on|agreed|accepted|s[ií])$/i
const NO = /^(?:false|no|n|0|off|declined|refused)$/i

const LONGEST_CONSENT = 2000

/**
 * What a source says about the consent to calls and texts. An agreement without its wording proves nothing, so it is
 * not recorded as one; a refusal always is.
 */
function consentIn(
  { consent, consentText, consentPage }: Given,
  now: number,
): { consent: Consent | null; notes: string[] } {
  const text = shortText(consentText, LONGEST_CONSENT)
  const said = consent?.trim() ?? ''
  const page = pageUrl(consentPage)
  const record = (given: boolean, words: string): Consent => ({ text: words, given, at: now, ...named('page', page) })
  if (NO.test(said)) return { consent: record(false, text ?? '(the source does not say what it asked)'), notes: [] }
  if (YES.test(said) && text !== undefined) return { consent: record(true, text), notes: [] }
  return { consent: null, notes: said === '' ? [] : [lineOf('consent', said)] }
}
