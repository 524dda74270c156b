/** Phone numbers: the digits that we count, and E.164 if the number can be read. */
import type { CountryCode } from 'libphonenumber-js/min'
import { lazyLibrary } from '../platform/lazy.ts'

const library = lazyLibrary<typeof import('libphonenumber-js/min')>('libphonenumber-js/min')

/** How many digits a phone number has. */
export const PHONE_DIGITS = { least: 10, most: 15 } as const

/** The ASCII digits of a phone number as written, after NFKC (so `０１２` counts). */
export const phoneDigits = (raw: string): string => raw.normalize('NFKC').replace(/[^0-9]/g, '')

/**
 * The number in E.164, or undefined if it is not a possible number. A number without a country code
 * is read as one of `country` (ISO 3166). We never reject a submission for this.
 */
export function toE164(raw: string, country: string): string | undefined {
  const parsed = library().parsePhoneNumberFromString(raw.normalize('NFKC'), country as CountryCode)
  return parsed?.isPossible() ? parsed.number : undefined
}
