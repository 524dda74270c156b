/**
 * The one table of what can be wrong with a body, in words that say what to change. A sentence
 * names the field, the limit and what was sent: its length, count or type, never its content.
 */

import { HONEYPOT } from './body-schemas.ts'
import { VALIDATE_ONLY } from './dry-run-name.ts'
import { PHONE_DIGITS } from './phone.ts'

export type Limits = { minLength?: number; maxLength?: number }

export const problems = {
  notAnObject: (body: unknown) =>
    body === undefined
      ? 'The body is empty: send one JSON object'
      : `The body must be one JSON object (it is ${bodyTypeOf(body)})`,

  missing: (field: string, sentAs?: string) =>
    sentAs === undefined
      ? `${field} is required`
      : `${field} is required (you sent ${printable(sentAs)}: the name is ${field})`,
  empty: (field: string) => `${field} is required (it is empty)`,
  notAString: (field: string, value: unknown) =>
    `${field} must be a string (it is ${typeOf(value)})`,
  text: (field: string, problem: string) => `${field} ${problem}`,
  length: (field: string, { minLength = 0, maxLength = 0 }: Limits, length: number) =>
    minLength > 1
      ? `${field} must be ${minLength} to ${maxLength} characters (it has ${length})`
      : `${field} must be at most ${maxLength} characters (it has ${length})`,
  unknown: (name: string, meant?: string) =>
    `${printable(name)} is not a known property${meant ? ` (did you mean ${meant}?)` : ''}`,
  dryRun: (name: string) =>
    `${printable(name)} is not a body property: to check without submitting, add ?${VALIDATE_ONLY}=true to the URL`,
  moreUnknown: (count: number) =>
    `${count} more ${count === 1 ? 'property is' : 'properties are'} not known`,

  email: (field: string) => `${field} must be one valid email address, such as name@example.com`,
  phone: (field: string, digits: number) =>
    `${field} must contain ${PHONE_DIGITS.least} to ${PHONE_DIGITS.most} digits (it has ${digits})`,
  state: (field: string) =>
    `${field} must be a 2 to 3 letter code or the name of a state, such as TX or Texas`,
  ranked: (field: string, { examples = [] }: { examples?: readonly string[] }) =>
    `${field} must be a digit, " - " and a label, such as "${examples[0]}" (leave it out unless the student chose it from a list, and put their own words into message)`,
  notAllowed: (field: string, allowed: readonly string[]) =>
    `${field} must be one of ${allowed.map(answer => `"${answer}"`).join(', ')}`,
  key: (field: string) => `${field} must be 1 to 255 printable ASCII characters`,

  honeypotMissing: (field: string) => `${field} is required: send it as an empty string`,
  honeypotType: (field: string, value: unknown) =>
    `${field} must be the empty string (it is ${typeOf(value)})`,
  honeypot: (field: string) =>
    `${field} must be the empty string: it is ${HONEYPOT}, so send "${field}": "" whatever the answer`,

  notAnInteger: (field: string, value: unknown) =>
    `${field} must be an integer, Unix time in milliseconds (it is ${numberOf(value)})`,
  seconds: (field: string) =>
    `${field} must be Unix time in milliseconds (it looks like seconds: multiply it by 1000)`,
  microseconds: (field: string) =>
    `${field} must be Unix time in milliseconds (it looks like microseconds: divide it by 1000)`,
  notAMoment: (field: string) =>
    `${field} must be Unix time in milliseconds (it is far too small to be a current date)`,
  future: (field: string, hours: number) =>
    `${field} must not be more than 24 hours ahead (it is ${hours} hours ahead; is the clock right?)`,

  keyMissing: () =>
    'idempotencyKey is required: send a unique value, such as a UUID, in the body or the X-Idempotency-Key header, and reuse it when you retry',
  keyTwice: (name: string) => `${name} must be sent once (it came with different keys)`,
  keysDiffer: (one: string, other: string) =>
    `${one} and ${other} must be the same idempotency key (they differ)`,
}

/** All problems of one body as one sentence, in field order. */
export const asSentence = (found: readonly string[]): string => found.join('; ')

function typeOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'an array'
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}

function bodyTypeOf(body: unknown): string {
  const encodedTwice = typeof body === 'string' && body.trimStart().startsWith('{')
  return encodedTwice ? 'a string that holds JSON: it was encoded twice' : typeOf(body)
}

function numberOf(value: unknown): string {
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
