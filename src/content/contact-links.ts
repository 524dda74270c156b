/** Links to call, to write to, or to find on a map what someone typed. Safe in any message. */
import { asciiMailbox } from '../leads/body/email.ts'
import { phoneDigits, toE164 } from '../leads/body/phone.ts'

/** A `tel:` link (RFC 3966), international if the number can be read as one of `country`; null without a number. */
export function telLink(phone: string, country: string): string
export function telLink(phone: string | null, country: string): string | null
export function telLink(phone: string | null, country: string): string | null {
  return phone === null ? null : `tel:${toE164(phone, country) ?? phoneDigits(phone)}`
}

/** A `mailto:` link (RFC 6068), its domain in ASCII; null without an address. */
export function mailtoLink(email: string): string
export function mailtoLink(email: string | null): string | null
export function mailtoLink(email: string | null): string | null {
  return email === null ? null : `mailto:${encodeURIComponent(asciiMailbox(email)).replace('%40', '@')}`
}

export const mapLink = (address: string): string =>
  `https://www.openstreetmap.org/search?query=${encodeURIComponent(addressLine(address))}`

export const addressLine = (address: string): string => address.replace(/\s*\n\s*/g, ', ')

/** The URL of a website, which the settings may name with or without a scheme. */
export const webLink = (website: string): string => (/^https?:\/\//i.test(website) ? website : `https://${website}`)
