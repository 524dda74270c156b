/** The keys that identify people. */
import { emailKey, parseEmail } from './email.ts'
import { PHONE_DIGITS, phoneDigits, toE164 } from './phone.ts'

/** The fields of a body that reach a person. If someone else fills in the body, one of them is enough. */
export const REACH: readonly string[] = ['email', 'phone']

/** How a person can be reached: by at least one of the two. */
export type Reach = { email?: string | null | undefined; phone?: string | null | undefined }

/**
 * The key of a person: of their address or, without one, their number in E.164; if it cannot be read, its digits. An
 * address has an `@`, so no number is ever taken for one.
 */
export const personKey = ({ email, phone }: Reach, phoneE164: string | null | undefined): string =>
  email ? emailKey(email) : (phoneE164 ?? phoneDigits(phone ?? ''))

/** Reads an address, or a whole number as a key; undefined if the text is neither. */
export function readReach(text: string, country: string): string | undefined {
  const email = parseEmail(text.trim())
  if (email !== undefined) return email
  const isNumber = /^[\s\d().+/-]+$/.test(text.normalize('NFKC')) && phoneDigits(text).length >= PHONE_DIGITS.least
  return isNumber ? personKeyIn({ phone: text }, country) : undefined
}

/** Whether a key, or what someone typed, is an address and not a number. */
export const isAddress = (key: string): boolean => key.includes('@')

/** The key for contact data with an unparsed number, which, without a country code, is one of `country`. */
export const personKeyIn = (reach: Reach, country: string): string =>
  personKey(reach, reach.email || !reach.phone ? null : toE164(reach.phone, country))
