/** The URL of a mailbox (IMAP_URL), how we may connect to its server, and why that may fail. */
import type { ImapFlowOptions } from 'imapflow'
import { isLoopback } from '../../platform/loopback.ts'
import { createClient, explainImapError } from './imap.ts'

/** `imap://host:port/Folder` or `imaps://…`, decoded, without user and password, so that it can be logged. */
export function describeMailbox(mailboxUrl: string): string {
  const url = new URL(mailboxUrl)
  return `${url.protocol}//${url.hostname}:${portOf(url)}/${folderOf(url)}`
}

/**
 * How to connect, with which user and password, and which folder to open (INBOX if the URL names none). User, password
 * and folder are percent-encoded in the URL.
 *
 * The password crosses a network only inside TLS, with a verified certificate (RFC 8314 section 3): `imaps://` from the
 * first byte, `imap://` by STARTTLS. A connection to this machine needs neither. `?tls.rejectUnauthorized=false` trusts
 * any certificate.
 */
export function mailboxAt(mailboxUrl: string): { folder: string; connection: ImapFlowOptions } {
  const url = new URL(mailboxUrl)
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const secure = url.protocol === 'imaps:'
  const local = isLoopback(host)
  const verified = url.searchParams.get('tls.rejectUnauthorized') !== 'false' && !local
  const connection: ImapFlowOptions = {
    host,
    port: portOf(url),
    secure,
    auth: { user: decodeURIComponent(url.username), pass: decodeURIComponent(url.password) },
    tls: { rejectUnauthorized: verified },
    ...(secure || local ? {} : { doSTARTTLS: true }),
  }
  return { folder: folderOf(url), connection }
}

/** Rejects, with a reason for people, if the mailbox cannot be watched at the moment. */
export async function verifyMailbox(url: string): Promise<void> {
  const { folder, connection } = mailboxAt(url)
  const client = await createClient(connection)
  try {
    await client.connect()
    await client.mailboxOpen(folder, { readOnly: true })
  } catch (error) {
    throw new Error(explain(error, url))
  } finally {
    client.close()
  }
}

/** Why the mailbox at a URL cannot be watched, in a sentence. */
export function explain(error: unknown, url: string): string {
  const { protocol, hostname: host } = new URL(url)
  const { connection } = mailboxAt(url)
  return explainImapError(error, { protocol, host, port: String(connection.port) })
}

const portOf = (url: URL): number => Number(url.port) || (url.protocol === 'imaps:' ? 993 : 143)

const folderOf = (url: URL): string => decodeURIComponent(url.pathname.slice(1)) || 'INBOX'
