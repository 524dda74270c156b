/** Email addresses: strictly validated, with the domain in one form. */
import { createHmac } from 'node:crypto'
import { domainToASCII, domainToUnicode } from 'node:url'

export type EmailAddress = string & { readonly __brand: 'EmailAddress' }

/** RFC 5321 section 4.5.3.1.1, in octets. */
const MAX_LOCAL_PART = 64

/** A dot-atom (RFC 5322 section 3.2.3), letters of any script allowed (RFC 6531 section 3.3). */
const LOCAL_PART = /^[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+(?:\.[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+)*$/u

/** Host name labels (RFC 1123 section 2.1) in their ASCII form. */
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/
/** A host name that is certainly valid: ASCII labels, the last one of letters only. */
const PLAIN_HOST_NAME = /^(?=.{1,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/i
const NOT_IN_NAMES = /[^\p{L}\p{M}\p{N}.-]/u

/**
 * Reads exactly one address of the form local@domain: a display name, comment, quoted local part, address literal or
 * list is not accepted. Returns the address with its domain in lower case and as people read it (`münchen.example`, not
 * `xn--mnchen-3ya.example`), or undefined if the text is anything else.
 */
export function parseEmail(text: string): EmailAddress | undefined {
  const at = text.lastIndexOf('@')
  if (at < 1) return undefined
  const local = text.slice(0, at)
  if (!LOCAL_PART.test(local) || Buffer.byteLength(local) > MAX_LOCAL_PART) return undefined
  const domain = hostName(text.slice(at + 1))
  return domain === undefined ? undefined : (`${local}@${domain}` as EmailAddress)
}

/**
 * The host name in lower case, or undefined if the text is not one. It has at least two labels, and the last one is not
 * a number. Letters outside ASCII can be written in many ways, including an ASCII form. We use only one (Unicode UTS
 * #46), so that a suppressed address stays suppressed however it is written.
 */
function hostName(text: string): string | undefined {
  if (PLAIN_HOST_NAME.test(text) && !/xn--/i.test(text)) return text.toLowerCase()
  if (NOT_IN_NAMES.test(text)) return undefined
  const ascii = domainToASCII(text)
  if (ascii === '' || ascii.length > 253) return undefined
  const labels = ascii.split('.')
  if (labels.length < 2 || !labels.every(label => LABEL.test(label))) return undefined
  if (/^\d+$/.test(labels.at(-1) ?? '')) return undefined
  const readable = domainToUnicode(ascii)
  return NOT_IN_NAMES.test(readable) || domainToASCII(readable) !== ascii ? ascii : readable
}

/**
 * Two addresses with the same key belong to one person. The key ignores case: mail systems that
 * distinguish `Ana@` from `ana@` exist only on paper.
 */
export const emailKey = (email: string): string => email.toLowerCase()

/** Why a person without an address gets no email from us. */
export const NO_ADDRESS = 'there is no email address yet; ask for it on the phone'

/** Why an address that is not a plain mailbox gets no email from us. */
export const UNSUPPORTED_ADDRESS = 'the address has characters that not every mail server can handle'

/**
 * Whether plain SMTP can deliver to the address. A local part outside ASCII needs SMTPUTF8 (RFC 6531)
 * from every relay on the way; a domain outside ASCII does not, because it has an ASCII form.
 */
export const isPlainMailbox = (email: string): boolean => /^[\x21-\x7e]+$/.test(email.slice(0, email.lastIndexOf('@')))

/** Why no email can go to an address, or to a person without one; undefined if it can. */
export const obstacleToMail = (email: string | null | undefined): string | undefined =>
  email ? (isPlainMailbox(email) ? undefined : UNSUPPORTED_ADDRESS) : NO_ADDRESS

/** The domain in the ASCII form that DNS and mail headers use. */
export const asciiDomain = (email: string): string => domainToASCII(email.slice(email.lastIndexOf('@') + 1))

/** The address with its domain in ASCII, for headers and links; the local part stays as it is. */
export const asciiMailbox = (email: string): string => `${email.slice(0, email.lastIndexOf('@'))}@${asciiDomain(email)}`

/**
 * The hash of an address, for places where no one may read the address, such as the list of suppressed addresses. All
 * ways to write the address have the same hash. Without the secret, no one can find the address by guessing.
 */
export const addressHash = (secret: string, email: string): string =>
  createHmac('sha256', secret)
    .update(`address\n${emailKey(email)}`)
    .digest('base64url')
    .slice(0, 27)
