/**
 * The bodies of the two operations: the one source of their fields, limits and meanings. Parsing,
 * types, messages and documents all derive from these schemas.
 *
 * `format` names what a string must be beyond its length; `fields.ts` holds the parser of each.
 * Lengths are counted in code points of the trimmed NFC text.
 */
import Type, { type Static } from 'typebox'

const oneLine = (minLength: number, maxLength: number, description: string) =>
  Type.String({ minLength, maxLength, description })

const formatted = (format: string, minLength: number, maxLength: number, description: string) =>
  Type.String({ format, minLength, maxLength, description })

/** Parsed from text like `2 - Within three months`: a rank digit and the text as sent. */
const ranked = (description: string) => Type.Optional(formatted('ranked', 5, 120, description))

const person = {
  firstName: oneLine(2, 50, 'Given name.'),
  lastName: oneLine(2, 50, 'Family name.'),
}

const message = Type.Optional(
  formatted('lines', 0, 1500, 'What the team should know. Line breaks are kept.'),
)

/** Operation A, `submitSiteInterest`. No other property is allowed. */
export const siteInterestSchema = Type.Object(
  {
    ...person,
    email: formatted('email', 5, 120, 'One e-mail address; a work address is expected.'),
    phone: formatted('phone', 10, 25, 'Phone number, 10 to 15 digits; punctuation is fine.'),
    company: oneLine(2, 120, 'Company or clinical site.'),
    address: formatted('lines', 8, 180, 'Postal address of the site.'),
    message,
    website: Type.String({
      format: 'honeypot',
      maxLength: 0,
      description: 'A trap for automated form fillers: always send the empty string.',
    }),
    startedAt: Type.Integer({
      format: 'startedAt',
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'When the form was begun at the client, Unix time in milliseconds.',
    }),
  },
  { additionalProperties: false },
)

/** Operation B, student interest. Other properties are ignored; an empty string counts as absent. */
export const studentInterestSchema = Type.Object({
  ...person,
  email: formatted('email', 5, 120, 'One e-mail address.'),
  phone: formatted('phone', 10, 25, 'Phone number, 10 to 15 digits; punctuation is fine.'),
  city: Type.Optional(oneLine(1, 80, 'City.')),
  state: Type.Optional(
    formatted('state', 2, 60, 'A 2 to 3 letter code or the name of a state; stored as its code.'),
  ),
  interestLevel: ranked('How interested, as a rank digit, " - " and a label.'),
  timeline: ranked('When to start, as a rank digit, " - " and a label.'),
  experience: ranked('Experience so far, as a rank digit, " - " and a label.'),
  source: ranked('How the applicant heard of the program, as a rank digit, " - " and a label.'),
  employer: Type.Optional(oneLine(1, 120, 'Present employer.')),
  message,
  idempotencyKey: Type.Optional(
    formatted('key', 1, 255, 'Unique value made by the client; the same on a retry.'),
  ),
})

export type SiteInterest = Static<typeof siteInterestSchema>

/** The rank digit and the whole text of a ranked answer. */
export type Ranked = { rank: number; text: string }

export type RankedField = 'interestLevel' | 'timeline' | 'experience' | 'source'

/** As stored: ranked answers with their rank, the key apart from the body. */
export type StudentInterest = Omit<
  Static<typeof studentInterestSchema>,
  RankedField | 'idempotencyKey'
> & { [K in RankedField]?: Ranked }
