/**
 * The bodies of the two operations: the one source of their fields, limits and meanings. Parsing,
 * types, messages and documents all derive from these JSON Schemas.
 *
 * `format` names what a string must be beyond its length; `fields.ts` holds the parser of each.
 * Lengths are counted in code points of the trimmed NFC text.
 */
import type { XStatic } from 'typebox/schema'

/** What the honeypot is, in its description and in its error. */
export const HONEYPOT = 'a trap for automated form fillers'

/** A line of text, unless `format` says otherwise. */
const text = <const F extends object>(minLength: number, maxLength: number, more: F) =>
  ({ type: 'string', minLength, maxLength, ...more }) as const

const person = {
  firstName: text(2, 50, { description: 'Given name.' }),
  lastName: text(2, 50, { description: 'Family name.' }),
} as const

const phone = text(10, 25, {
  format: 'phone',
  description: 'Phone number as people write it; punctuation is fine.',
})

const message = <const M extends number>(maxLength: M) =>
  text(0, maxLength, {
    format: 'lines',
    description: 'What the team should know. Line breaks are kept.',
  })

/** A rank digit, a hyphen between spaces, and a label, such as the example. */
const ranked = (what: string, example: string) =>
  text(5, 120, {
    format: 'ranked',
    description: `${what}, as a rank digit, " - " and a label.`,
    examples: [example],
  })

/** Operation A, `submitSiteInterest`. No other property is allowed. */
export const siteInterestSchema = {
  type: 'object',
  additionalProperties: false,
  required: [
    'firstName',
    'lastName',
    'email',
    'phone',
    'company',
    'address',
    'website',
    'startedAt',
  ],
  properties: {
    ...person,
    email: text(5, 120, {
      format: 'email',
      description: 'One e-mail address, preferably that of work.',
    }),
    phone,
    company: text(2, 120, { description: 'Company or clinical site.' }),
    address: text(8, 180, { format: 'lines', description: 'Postal address of the site.' }),
    message: message(1500),
    website: text(0, 0, {
      format: 'honeypot',
      description: `A honeypot, which is ${HONEYPOT}: always send the empty string.`,
    }),
    startedAt: {
      type: 'integer',
      format: 'startedAt',
      // March 1973 and the year 5138: what lies beyond is not in milliseconds.
      minimum: 100_000_000_000,
      maximum: 99_999_999_999_999,
      description: 'When the form was begun at the client, Unix time in milliseconds.',
    },
  },
} as const

/** Operation B, student interest. Other properties are ignored; an empty string counts as absent. */
export const studentInterestSchema = {
  type: 'object',
  required: ['firstName', 'lastName', 'email', 'phone'],
  properties: {
    ...person,
    email: text(5, 120, { format: 'email', description: 'One e-mail address.' }),
    phone,
    city: text(1, 80, { description: 'City.' }),
    state: text(2, 60, {
      format: 'state',
      description:
        'A code of 2 or 3 letters, or the name of a state that the school knows, such as those of the United States.',
    }),
    interestLevel: ranked('How interested', '1 - Ready to enroll'),
    timeline: ranked('When to start', '2 - Within three months'),
    experience: ranked('Experience so far', '0 - None yet'),
    source: ranked('How the applicant heard of the program', '3 - A friend or relative'),
    employer: text(1, 120, { description: 'Present employer.' }),
    message: message(1500),
    idempotencyKey: text(1, 255, {
      format: 'key',
      description: 'Unique value made by the client; the same on a retry.',
    }),
  },
} as const

export type SiteInterest = XStatic<typeof siteInterestSchema>

/** The rank digit and the whole text of a ranked answer. */
export type Ranked = { rank: number; text: string }

export const rankedFields = ['interestLevel', 'timeline', 'experience', 'source'] as const

export type RankedField = (typeof rankedFields)[number]

/** As stored: ranked answers with their rank, the key apart from the body. */
export type StudentInterest = Omit<
  XStatic<typeof studentInterestSchema>,
  RankedField | 'idempotencyKey'
> & { [K in RankedField]?: Ranked }
