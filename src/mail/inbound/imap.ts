/** Speaking IMAP (RFC 9051), in the few words that reading a mailbox needs. */
import type { ImapFlow, ImapFlowOptions } from 'imapflow'
import { describeMailError } from '../smtp-errors.ts'

/** How much of a message is fetched, in bytes: a report and what a person wrote come first. */
const MAX_SOURCE = 1_000_000

/** Far above all that is asked for: a broken server must not fill the memory. */
const MAX_RESPONSE = 4_000_000

/** A client that is not connected yet. Loads the library, which only a watched mailbox needs. */
export async function createClient(connection: ImapFlowOptions): Promise<ImapFlow> {
  const { ImapFlow } = await import('imapflow')
  const client = new ImapFlow({
    ...connection,
    logger: false,
    disableAutoIdle: true,
    disableAutoEnable: true,
    disableCompression: true,
    maxLineLength: MAX_RESPONSE,
    maxLiteralSize: MAX_RESPONSE,
    maxResponseSize: 2 * MAX_RESPONSE,
  })
  // Heard so that it does not end the process. 'close' follows, and commands reject.
  client.on('error', () => {})
  return client
}

/** The uids above this one, in order. */
export async function uidsAfter(uid: number, client: ImapFlow): Promise<number[]> {
  const found = await client.fetchAll(`${uid + 1}:*`, { uid: true }, { uid: true })
  // The last message is always in such a range, whatever its uid (RFC 9051 section 6.4.9).
  const uids = found.map(message => message.uid).filter(other => other > uid)
  return uids.sort((one, other) => one - other)
}

export async function fetchSource(uid: number, client: ImapFlow): Promise<Uint8Array | undefined> {
  const part = { start: 0, maxLength: MAX_SOURCE }
  const message = await client.fetchOne(String(uid), { source: part }, { uid: true })
  return message ? message.source : undefined
}

/** What imapflow hangs on its errors. */
type ImapError = Error & {
  code?: string
  authenticationFailed?: boolean
  serverResponseCode?: string
  /** What the server said to the command, or as it hung up. */
  responseText?: string
  reason?: string
}

/** UNAVAILABLE: the server could not look the password up (RFC 5530 section 3). */
export const isRefusal = (error: unknown): boolean =>
  (error as ImapError).authenticationFailed === true &&
  (error as ImapError).serverResponseCode !== 'UNAVAILABLE'

/** One line for a log. Of the error itself nothing is kept: it holds the command that failed. */
export function describeImapError(error: unknown): string {
  const { code, responseText, reason, message } = error as ImapError
  return describeMailError(Object.assign(new Error(responseText ?? reason ?? message), { code }))
}
