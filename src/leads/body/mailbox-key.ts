/** Which addresses belong to one mailbox, and the hashes under which its owner's wishes are stored. */
import { addressHash, emailKey } from './email.ts'

/** Domains that ignore dots in the local part, and which of them are the same. */
const DOTLESS: Readonly<Record<string, string>> = { 'gmail.com': 'gmail.com', 'googlemail.com': 'gmail.com' }

/**
 * Addresses with the same key most likely belong to one mailbox: sub-addresses (`ana+school@`, RFC 5233) count as one,
 * and so do the dots of Gmail. Use it to send something to a mailbox only once, never to decide who a person is. The
 * key of a person without an address stays as it is.
 */
export function mailboxKey(email: string): string {
  const key = emailKey(email)
  const at = key.lastIndexOf('@')
  if (at === -1) return key
  const [local, domain] = [key.slice(0, at), key.slice(at + 1)]
  const plus = local.indexOf('+')
  const name = plus > 0 ? local.slice(0, plus) : local
  const dotless = DOTLESS[domain]
  return dotless === undefined ? `${name}@${domain}` : `${name.replaceAll('.', '')}@${dotless}`
}

/** Like `addressHash`, for the mailbox of an address: its owner's wishes count for all of its sub-addresses. */
export const mailboxHash = (secret: string, email: string): string => addressHash(secret, mailboxKey(email))

/** The hashes under which an address may be suppressed: its mailbox's, and its own. Empty without an address. */
export const suppressionHashes = (secret: string, email: string | null | undefined): string[] =>
  email ? [...new Set([mailboxHash(secret, email), addressHash(secret, email)])] : []
