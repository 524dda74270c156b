/**
 * Text from people, made safe to store, print and mail: it is either rejected or normalized. Both databases get only
 * text that has passed this, so they agree on every body.
 */
import { distance } from 'fastest-levenshtein'

/** NUL and the other C0 and C1 controls, except tab and line ends. */
const CONTROLS = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/
const LINE_ENDS = /[\t\n\r\u2028\u2029]/
/** Characters that change the displayed order (Unicode UAX #9), which can disguise a text. */
const BIDI_OVERRIDES = /[\u202a-\u202e\u2066-\u2069]/

/** What can be wrong with a text, each as the end of a sentence. */
export const textFaults = {
  surrogate: 'must be valid Unicode (it has half of a surrogate pair)',
  control: 'must not contain control characters',
  lines: 'must be one line, without tabs or line breaks',
  direction: 'must not contain characters that change text direction',
} as const

export type TextFault = keyof typeof textFaults

/**
 * What is wrong with the text of a field; undefined if it is fine. A one-line field must not contain control characters
 * or bidi overrides; other fields may contain line breaks, tabs and the overrides that right-to-left writing needs.
 */
export function textFault(text: string, lines: 'one' | 'many'): TextFault | undefined {
  if (!text.isWellFormed()) return 'surrogate'
  if (CONTROLS.test(text)) return 'control'
  if (lines === 'many') return undefined
  if (LINE_ENDS.test(text.trim())) return 'lines'
  if (BIDI_OVERRIDES.test(text)) return 'direction'
  return undefined
}

/** What is wrong, as the end of a sentence. */
export function textProblem(text: string, lines: 'one' | 'many'): string | undefined {
  const fault = textFault(text, lines)
  return fault && textFaults[fault]
}

/** The same for a text that must not be empty, and may have at most so many characters. */
export function requiredProblem(text: string, lines: 'one' | 'many', most = Number.POSITIVE_INFINITY) {
  if (isBlank(text)) return 'must not be empty'
  return text.length > most ? 'is too long' : textProblem(text, lines)
}

/** Printable ASCII without white space at either end, as most texts are. */
const PLAIN = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/

/** Whether a text is certainly valid and already in its stored form. */
export const isPlain = (text: string): boolean => PLAIN.test(text)

/** Whether a text shows nothing: only white space and invisible characters. */
export const isBlank = (text: string): boolean => /^[\s\p{Default_Ignorable_Code_Point}]*$/u.test(text)

/** The stored form: Unicode NFC, line ends as \n, without white space at either end. */
export const tidy = (text: string): string =>
  text
    .replace(/\r\n?|[\u2028\u2029]/g, '\n')
    .normalize('NFC')
    .trim()

/** The length as people count it, in code points. */
export function codePoints(text: string): number {
  let count = text.length
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (unit >= 0xd800 && unit <= 0xdbff) count--
  }
  return count
}

/** The letters a to z of a text, in lower case. Names are compared by these. */
export const letters = (text: string): string => text.toLowerCase().replace(/[^a-z]/g, '')

/**
 * Whether a name seems to be a misspelling of another, such as `first_name` or `Firstnam` of
 * `firstName`: the same letters or, if it is longer than 5 characters, at most two of them off.
 */
export function resembles(name: string, known: string): boolean {
  if (name.length > 40) return false
  const [one, other] = [letters(name), letters(known)]
  return one === other || (known.length > 5 && distance(one, other) <= 2)
}

/** The text with a capital first letter. */
export const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

const NUMBERS = new Intl.NumberFormat('en-US')

/** `1,200`. */
export const inDigits = (number: number): string => NUMBERS.format(number)

/** `34%`; empty if the whole is 0. */
export const share = (part: number, whole: number): string =>
  whole === 0 ? '' : `${Math.round((100 * part) / whole)}%`

/** `1 lead`, `2 leads`, `1,200 inquiries`. */
export const counted = (number: number, one: string, many = `${one}s`): string =>
  `${inDigits(number)} ${number === 1 ? one : many}`
