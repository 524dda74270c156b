/** Phone numbers: the digits that we count, and E.164 if the number can be read. */
import type { CountryCode } from 'libphonenumber-js/min'
import { lazyLibrary } from '../../platform/lazy.ts'

const library = lazyLibrary<typeof import('libphonenumber-js/min')>('libphonenumber-js/min')

export const PHONE_DIGITS = { least: 10, most: 15 } as const

/** The ASCII digits of a phone number as written, after NFKC (so `０１２` counts). */
export const phoneDigits = (raw: string): string => raw.normalize('NFKC').replace(/[^0-9]+/g, '')

/**
 * An extension at the end, as people write it: `x12`, `ext. 12`, `#12`, `anexo 12`. It counts like the rest of the
 * number. Forms check the same in the browser (`content/forms/fields.js`).
 */
const EXTENSION = /[^\d\s().+/-]\D{0,12}\d{1,8}$/

export const hasExtension = (raw: string): boolean => EXTENSION.test(raw)

/** A phone number as someone wrote it, and when it first came (Unix milliseconds). */
export type GivenPhone = { phone: string; at: number }

/** Whether two numbers have the same digits, save for a country code and zeros before either. False without digits. */
export function isSameNumber(one: string, other: string): boolean {
  const [digits, others] = [significantDigits(one), significantDigits(other)]
  return digits !== '' && others !== '' && (digits.endsWith(others) || others.endsWith(digits))
}

/** The digits without leading zeros. If there are only zeros, some stay: else, every number would end with it. */
const significantDigits = (raw: string): string => phoneDigits(raw).replace(/^0+(?=\d{7})/, '')

const MOST_NUMBERS = 4

/** Each number once, with the moment when it first came: the first number, then the newest of the others. */
export function distinctPhones(given: readonly GivenPhone[]): GivenPhone[] {
  const [first, ...others] = given.filter(
    ({ phone }, index) => given.findIndex(earlier => isSameNumber(earlier.phone, phone)) === index,
  )
  return first === undefined ? [] : [first, ...others.slice(1 - MOST_NUMBERS)]
}

/** The phone numbers in a text, as written there. Without a country code, a number is one of `country`. */
export const numbersIn = (text: string, country: string): string[] =>
  library()
    .findPhoneNumbersInText(text, country as CountryCode)
    .map(({ startsAt, endsAt }) => text.slice(startsAt, endsAt))

/** Digits, and what people write between them. With anything else, such as an extension, a number says more. */
const ONLY_A_NUMBER = /^[\d\s().+/\p{Pd}]+$/u

/**
 * The number in the one form that staff read everywhere, which is the usual one of its country, as `(512) 555-0142`. A
 * number that cannot be read, or that has an extension, stays as it was written.
 */
export function readablePhone(raw: string, country: string): string {
  const written = raw.normalize('NFKC')
  if (!ONLY_A_NUMBER.test(written)) return raw
  const parsed = library().parsePhoneNumberFromString(written, country as CountryCode)
  if (!parsed?.isPossible()) return raw
  const isLocal = parsed.country === country || parsed.countryCallingCode === callingCode(country)
  return isLocal ? parsed.formatNational() : parsed.formatInternational()
}

const callingCode = (country: string): string => library().getCountryCallingCode(country as CountryCode)

/**
 * The number in E.164; undefined if it is not a possible number. A number without a country code is read as a number of
 * `country` (ISO 3166). We never reject a submission for this.
 */
export function toE164(raw: string, country: string): string | undefined {
  const parsed = library().parsePhoneNumberFromString(raw.normalize('NFKC'), country as CountryCode)
  return parsed?.isPossible() ? parsed.number : undefined
}

/** The number in E.164 if it can be read, which everyone can dial; as it was written if it has an extension. */
export const numberToCall = (raw: string, country: string): string =>
  hasExtension(raw) ? raw : (toE164(raw, country) ?? raw)
