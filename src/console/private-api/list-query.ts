/** The query for a list of leads: the filters of the inbox. Unlike the inbox, it rejects values that make no sense. */
import { parseEmail } from '../../leads/body/email.ts'
import { allStages } from '../../leads/lead/stages.ts'
import { type FilterFields, NO_FILTER, readFields, sortOrders } from '../lists/inbox-filter.ts'
import { apiErrors } from './api-errors.ts'
import type { ApiRoute } from './api-route.ts'

/** How many leads a response has by default, and at most. */
const USUAL = 50
const MOST = 100

const text = { type: 'string' }
const day = { type: 'string', format: 'date' }

const about: Record<keyof FilterFields, { schema: Record<string, unknown>; description: string }> = {
  q: { schema: text, description: 'words, an address or a phone number, as in the search of the console' },
  kind: { schema: { enum: ['site', 'student'] }, description: 'employers and partners, or students' },
  stage: { schema: { enum: [...allStages, 'open', 'any'] }, description: 'open: all but closed. Default: any' },
  who: { schema: text, description: 'the id of a counselor, team, or me: the person that the token acts for' },
  waiting: {
    schema: { enum: ['1', 'untried', 'unanswered'] },
    description: 'not reached yet; not even called; wrote back and waits',
  },
  imported: { schema: { enum: ['1'] }, description: 'imported people that no one has done anything about since' },
  counted: { schema: { enum: ['1'] }, description: 'those that count in the figures' },
  state: { schema: text, description: 'the code of a state, such as IL' },
  source: { schema: text, description: 'how they heard of the school' },
  language: { schema: text, description: 'of the form, such as es' },
  campaign: { schema: text, description: 'a campaign' },
  form: { schema: text, description: 'a form of the school, by its name' },
  mainProgram: { schema: text, description: 'the program of the lead, by its name, as insight counts it' },
  campus: { schema: text, description: 'the campus that they chose last' },
  answer: { schema: text, description: 'a question of the school and an answer, such as "Which shift?: Evening"' },
  from: { schema: text, description: 'where they came from: a source or a site' },
  consent: { schema: text, description: 'what they said about calls and texts' },
  tag: { schema: { type: 'integer' }, description: 'the number of a tag, as in the URL of the inbox' },
  program: { schema: { type: 'integer' }, description: 'the number of a program, as in the URL of the inbox' },
  since: { schema: day, description: 'first wrote on that day or later' },
  until: { schema: day, description: 'first wrote on that day or earlier' },
  sort: { schema: { enum: Object.keys(sortOrders) }, description: 'Default: newest' },
}

export const filterParameters: NonNullable<ApiRoute['query']> = {
  email: {
    schema: { type: 'string', format: 'email' },
    description: 'the leads of exactly this address; it cannot be combined with another filter',
  },
  ...about,
  limit: { schema: { type: 'integer', minimum: 1, maximum: MOST }, description: `Default: ${USUAL}` },
  cursor: { schema: text, description: 'the value of next in an earlier response' },
}

/** Reads the filter. Throws 400 for a value that the inbox would leave out. */
export function readFilter(query: Record<string, string>): { fields: FilterFields; email?: string } {
  const { email, limit: _, cursor: __, ...asked } = query
  if (email !== undefined) {
    if (Object.keys(asked).length > 0)
      throw apiErrors.invalid('email cannot be combined with another filter: leave one out')
    const parsed = parseEmail(email.trim())
    if (parsed === undefined) throw apiErrors.invalid('email must be an email address')
    return { fields: NO_FILTER, email: parsed }
  }
  const fields = readFields(asked)
  const wrong = Object.keys(asked).find(name => asked[name]?.trim() !== '' && fields[name as keyof FilterFields] === '')
  if (wrong !== undefined) throw apiErrors.invalid(`${wrong} must be ${wanted(wrong as keyof FilterFields)}`)
  return { fields: { ...fields, stage: fields.stage || 'any' } }
}

function wanted(name: keyof FilterFields): string {
  const { enum: choices, type, format } = about[name].schema
  if (Array.isArray(choices)) return `one of ${choices.join(', ')}`
  if (format === 'date') return 'a day, such as 2026-11-21'
  if (name === 'q') return 'a text with letters or digits'
  return type === 'integer' ? 'a whole number' : `a value that the inbox has: ${about[name].description}`
}

export function readLimit({ limit }: Record<string, string>): number {
  if (limit === undefined) return USUAL
  const asked = /^\d{1,3}$/.test(limit) ? Number(limit) : 0
  if (asked < 1 || asked > MOST) throw apiErrors.invalid(`limit must be a whole number from 1 to ${MOST}`)
  return asked
}
