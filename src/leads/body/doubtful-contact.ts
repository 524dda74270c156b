/**
 * Email addresses and phone numbers that are valid, but most likely wrong. No one can reply to an address with a typo,
 * so a form asks about it once. This is never a reason to reject anything: the address may be right.
 */
import { parseEmail } from './email.ts'
import { phoneDigits } from './phone.ts'

/** Where most people in the school's languages have their mail. A typo in such a long name still resembles it. */
export const COMMON = [
  'gmail.com',
  'googlemail.com',
  'hotmail.com',
  'hotmail.es',
  'outlook.com',
  'outlook.es',
  'yahoo.com',
  'yahoo.es',
  'yahoo.com.mx',
  'icloud.com',
  'comcast.net',
  'verizon.net',
  'sbcglobal.net',
  'bellsouth.net',
  'protonmail.com',
]

/** Real providers whose names are close to one of the names above. */
export const REAL = new Set([...COMMON, 'mail.com', 'email.com', 'ymail.com', 'rocketmail.com'])

/** `.con` and similar typos of `.com`. No such top-level domains exist. */
export const NOT_COM = /\.(?:con|cmo|ocm|vom|xom|comm)$/

/** Domains that no mail on the internet can reach: every real top-level domain has two letters or more. */
const NOWHERE = /\.(?:.|local|localdomain|localhost)$/u

/** `meant`: the address that the person most likely meant, if we know one. */
export type DoubtfulEmail = { meant: string | undefined }

/** What is doubtful about an address; undefined if it looks fine, or is not an address at all. */
export function doubtfulEmail(text: string): DoubtfulEmail | undefined {
  const email = parseEmail(text.trim())
  if (email === undefined) return undefined
  const at = email.lastIndexOf('@')
  const domain = email.slice(at + 1)
  if (REAL.has(domain)) return undefined
  const plain = domain.replace(NOT_COM, '.com')
  const meant = COMMON.find(known => isTypoOf(plain, known)) ?? (plain === domain ? undefined : plain)
  if (meant !== undefined) return { meant: `${email.slice(0, at)}@${meant}` }
  return NOWHERE.test(domain) ? { meant: undefined } : undefined
}

/** Whether a domain is the known one, with one letter too many, missing or wrong, or two neighbors swapped. */
function isTypoOf(domain: string, known: string): boolean {
  // Nearly all addresses end here, which keeps this quick: every form that is sent checks each of the usual domains.
  if (Math.abs(domain.length - known.length) > 1) return false
  let same = 0
  while (same < known.length && known[same] === domain[same]) same++
  const [typed, meant] = [domain.slice(same), known.slice(same)]
  const swapped = `${typed.charAt(1)}${typed.charAt(0)}${typed.slice(2)}`
  return typed.slice(1) === meant || typed === meant.slice(1) || typed.slice(1) === meant.slice(1) || swapped === meant
}

/** Whether a phone number is one that people type when they would rather not say theirs, such as 000-000-0000. */
export function isDoubtfulPhone(text: string): boolean {
  const national = phoneDigits(text).slice(-10)
  return national.length === 10 && (/^(\d)\1+$/.test(national) || '01234567890'.includes(national))
}
