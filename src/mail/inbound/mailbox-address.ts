/** The address of a mailbox (IMAP_URL), and how its server may be spoken to. */
import type { ImapFlowOptions } from 'imapflow'
import { isLoopback } from '../../loopback.ts'

/**
 * `imap://host:port/Folder` or `imaps://…`, without user and password: fit for a log. The text of
 * the folder is as written.
 */
export function describeMailbox(mailboxUrl: string): string {
  const url = new URL(mailboxUrl)
  return `${url.protocol}//${url.hostname}:${portOf(url)}/${folderOf(url)}`
}

/**
 * Which connection to make, with which user and password, and which folder to open there: INBOX
 * where the address names none. User, password and folder are percent-encoded in it.
 *
 * The password crosses a network only inside of TLS, with a certificate that somebody vouches for
 * (RFC 8314 section 3): `imaps://` from the first byte, `imap://` by STARTTLS. To this very machine
 * neither is asked for. `?tls.rejectUnauthorized=false` trusts any certificate.
 */
export function mailboxAt(mailboxUrl: string): { folder: string; connection: ImapFlowOptions } {
  const url = new URL(mailboxUrl)
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const secure = url.protocol === 'imaps:'
  const local = isLoopback(host)
  const vouched = url.searchParams.get('tls.rejectUnauthorized') !== 'false' && !local
  const connection: ImapFlowOptions = {
    host,
    port: portOf(url),
    secure,
    auth: { user: decodeURIComponent(url.username), pass: decodeURIComponent(url.password) },
    tls: { rejectUnauthorized: vouched },
    ...(secure || local ? {} : { doSTARTTLS: true }),
  }
  return { folder: folderOf(url), connection }
}

const portOf = (url: URL): number => Number(url.port) || (url.protocol === 'imaps:' ? 993 : 143)

const folderOf = (url: URL): string => decodeURIComponent(url.pathname.slice(1)) || 'INBOX'
