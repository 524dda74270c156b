/** The few IMAP commands (RFC 9051) that reading a mailbox needs. */
import type { ImapFlow, ImapFlowOptions } from 'imapflow'
import { connectionSentence, type MailServer } from '../connection-sentences.ts'
import { describeMailError } from '../smtp-errors.ts'

/** How much of a message we fetch, in bytes: a report, and what a person wrote, come first. */
export const MAX_SOURCE = 1_000_000

/** Far above anything we ask for, so that a broken server cannot fill the memory. */
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
  // Handled so that it does not end the process. 'close' follows, and commands reject.
  client.on('error', () => {})
  return client
}

/** The uids above this one, in order. */
export async function uidsAfter(uid: number, client: ImapFlow): Promise<number[]> {
  const found = await client.fetchAll(`${uid + 1}:*`, { uid: true }, { uid: true })
  // Such a range always includes the last message, whatever its uid (RFC 9051 section 6.4.9).
  const uids = found.map(message => message.uid).filter(other => other > uid)
  return uids.sort((one, other) => one - other)
}

export async function fetchSource(uid: number, client: ImapFlow): Promise<Uint8Array | undefined> {
  const part = { start: 0, maxLength: MAX_SOURCE }
  const message = await client.fetchOne(String(uid), { source: part }, { uid: true })
  return message ? message.source : undefined
}

/** The fields that imapflow adds to its errors. */
type ImapError = Error & {
  code?: string
  authenticationFailed?: boolean
  serverResponseCode?: string
  /** The server's response to the command, or its reason for disconnecting. */
  responseText?: string
  reason?: string
}

/** UNAVAILABLE means that the server could not check the password (RFC 5530 section 3). */
export const isRefusal = (error: unknown): boolean =>
  (error as ImapError).authenticationFailed === true &&
  (error as ImapError).serverResponseCode !== 'UNAVAILABLE'

/** Why we could not connect, for people: what to do about it, where we know, and one line of the error. */
export function explainImapError(error: unknown, server: MailServer): string {
  const { code, message } = error as ImapError
  const sentence = connectionSentence([code, message].join(' '), server)
  const description = describeImapError(error)
  return sentence === undefined ? description : `${sentence} (${description})`
}

/** One line for a log. The error itself is not kept: it contains the command that failed. */
export function describeImapError(error: unknown): string {
  const { code, responseText, reason, message } = error as ImapError
  return describeMailError(Object.assign(new Error(responseText ?? reason ?? message), { code }))
}
