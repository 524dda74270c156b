/** Searching leads by what people remember of them: a name, a company, an address, a phone number. */
import { emailKey, parseEmail } from '../body/email.ts'
import { phoneDigits, toE164 } from '../body/phone.ts'
import type { Lead } from '../lead/lead.ts'

export type LeadSearch =
  /** A whole email address, as the key of its person. */
  | { emailKey: string }
  /** A phone number: its digits and, if it is a whole number, E.164. */
  | { phone: string | undefined; digits: string }
  /** Words of a name, a company or an address, in the form in which they are compared. */
  | { words: string[] }

/** A phone number of at least this many digits, which may be a part of a longer one. */
const LEAST_DIGITS = 4

/** Reads what someone looks for. A phone number without a country code is one of `country` (ISO 3166). */
export function parseLeadSearch(text: string, country: string): LeadSearch {
  const address = parseEmail(text.trim())
  if (address !== undefined) return { emailKey: emailKey(address) }
  const digits = phoneDigits(text)
  if (digits.length >= LEAST_DIGITS && /^[\s\d().+/-]+$/.test(text.normalize('NFKC'))) {
    return { phone: toE164(text, country), digits }
  }
  return { words: folded(text).split(/\s+/).filter(Boolean) }
}

/** Whether a lead has everything that someone looks for, regardless of accents and capitals. */
export function matchesSearch(lead: Lead, search: LeadSearch): boolean {
  if ('emailKey' in search) return lead.email !== null && emailKey(lead.email) === search.emailKey
  if ('digits' in search) {
    const numbers = [phoneDigits(lead.phone ?? ''), lead.phoneE164, lead.latestPhone]
    return numbers.some(number => number?.includes(search.digits))
  }
  const { firstName, lastName, company, email } = lead
  const text = folded([firstName, lastName, company, email].join(' '))
  return search.words.every(word => text.includes(word))
}

const folded = (text: string): string => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
