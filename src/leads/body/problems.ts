/**
 * The one table of what can be wrong with a body. A problem is data: its code, and what its sentence needs. The
 * sentence says what to change. It names the field, the limit, and what was sent: its length, count or type, but never
 * its content.
 */
import { HONEYPOT } from './body-schemas.ts'
import { VALIDATE_ONLY } from './dry-run-name.ts'
import { PHONE_DIGITS } from './phone.ts'
import { type TextFault, textFaults } from './tidy-text.ts'

type InField = { field: string }
type OfType = InField & { is: string }

const sentences = {
  emptyBody: () => 'The body is empty: send one JSON object',
  notAnObject: ({ is }: { is: string }) => `The body must be one JSON object (it is ${is})`,

  missing: ({ field, sentAs }: InField & { sentAs: string | undefined }) =>
    sentAs === undefined
      ? `${field} is required${field === 'startedAt' ? ': send Unix time in milliseconds' : ''}`
      : `${field} is required (you sent ${printable(sentAs)}: the name is ${field})`,
  unreachable: (_: InField) => 'An email address or a phone number is required',
  empty: ({ field }: InField) => `${field} is required (it is empty)`,
  notAString: ({ field, is }: OfType) => `${field} must be a string (it is ${is})`,
  text: ({ field, fault }: InField & { fault: TextFault }) => `${field} ${textFaults[fault]}`,
  length: ({ field, least, most, length }: InField & Lengths) =>
    least > 1
      ? `${field} must be ${least} to ${most} characters (it has ${length})`
      : `${field} must be at most ${most} characters (it has ${length})`,
  unknown: ({ name, meant }: { name: string; meant: string | undefined }) =>
    name === 'idempotencyKey'
      ? `${name} is not a body property here: send it in the header X-Idempotency-Key`
      : `${printable(name)} is not a known property${meant ? ` (did you mean ${meant}?)` : ''}`,
  dryRun: ({ name }: { name: string }) =>
    `${printable(name)} is not a body property: to check without submitting, add ?${VALIDATE_ONLY}=true to the URL`,
  moreUnknown: ({ count }: { count: number }) =>
    `${count} more ${count === 1 ? 'property is' : 'properties are'} not known`,

  email: ({ field }: InField) => `${field} must be one valid email address, such as name@example.com`,
  phone: ({ field, digits }: InField & { digits: number }) =>
    `${field} must contain ${PHONE_DIGITS.least} to ${PHONE_DIGITS.most} digits (it has ${digits})`,
  extension: ({ field, digits, length, most }: InField & { digits: number; length: number; most: number }) =>
    `${field} must be at most ${most} characters with ${PHONE_DIGITS.most} digits, its extension included (it has ${length} with ${digits}): write the extension as x12, or put it into message`,
  state: ({ field }: InField) => `${field} must be a 2 to 3 letter code or the name of a state, such as TX or Texas`,
  ranked: ({ field, example }: InField & { example: string | undefined }) =>
    `${field} must be a digit, " - " and a label, such as "${example}" (leave it out unless the student chose it from a list, and put their own words into message)`,
  notAllowed: ({ field, allowed }: InField & { allowed: readonly string[] }) =>
    `${field} must be one of ${allowed.map(answer => `"${answer}"`).join(', ')}`,
  key: ({ field }: InField) => `${field} must be 1 to 255 printable ASCII characters`,

  honeypotMissing: ({ field }: InField) => `${field} is required: send it as an empty string`,
  honeypotType: ({ field, is }: OfType) => `${field} must be the empty string (it is ${is})`,
  honeypot: ({ field }: InField) =>
    `${field} must be the empty string: it is ${HONEYPOT}, so send "${field}": "" whatever the answer`,

  notAnInteger: ({ field, is }: OfType) => `${field} must be an integer, Unix time in milliseconds (it is ${is})`,
  seconds: ({ field }: InField) =>
    `${field} must be Unix time in milliseconds (it looks like seconds: multiply it by 1000)`,
  microseconds: ({ field }: InField) =>
    `${field} must be Unix time in milliseconds (it looks like microseconds: divide it by 1000)`,
  notAMoment: ({ field }: InField) =>
    `${field} must be Unix time in milliseconds (it is far too small to be a current date)`,
  future: ({ field, hours }: InField & { hours: number }) =>
    `${field} must not be more than 24 hours ahead (it is ${hours} hours ahead; is the clock right?)`,

  keyMissing: () =>
    'idempotencyKey is required: send a unique value, such as a UUID, in the body or the X-Idempotency-Key header, and reuse it when you retry',
  keyTwice: ({ field }: InField) => `${field} must be sent once (it came with different keys)`,
  keysDiffer: ({ field, other }: InField & { other: string }) =>
    `${field} and ${other} must be the same idempotency key (they differ)`,
}

/** Lengths are in code points. */
type Lengths = { least: number; most: number; length: number }

type Sentences = typeof sentences

export type ProblemCode = keyof Sentences

export type Problem<C extends ProblemCode = ProblemCode> = {
  [P in C]: { code: P } & (Parameters<Sentences[P]> extends [infer Details] ? Details : unknown)
}[C]

const sentenceOf = <C extends ProblemCode>(problem: Problem<C>): string =>
  (sentences[problem.code] as (problem: Problem<C>) => string)(problem)

/** All problems of one body as one sentence, in field order. */
export const asSentence = (found: readonly Problem[]): string => found.map(problem => sentenceOf(problem)).join('; ')

/** The type of a JSON value, with its article. */
export function typeOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'an array'
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}

export function bodyTypeOf(body: unknown): string {
  const encodedTwice = typeof body === 'string' && body.trimStart().startsWith('{')
  return encodedTwice ? 'a string that holds JSON: it was encoded twice' : typeOf(body)
}

/** What a value is that is not the integer that we need. */
export function numberOf(value: unknown): string {
  if (typeof value !== 'number') return typeOf(value)
  return Number.isInteger(value) || !Number.isFinite(value) ? 'out of range' : 'not a whole number'
}

/** A property name as sent, cut to 40 characters and safe to print. */
export function printable(name: string): string {
  const clean = name.toWellFormed().replace(/[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu, '?')
  const points = [...clean]
  const short = points.length > 40 ? `${points.slice(0, 40).join('')}…` : clean
  return /^[\w.$-]+$/.test(short) ? short : JSON.stringify(short)
}
