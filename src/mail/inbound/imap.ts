/** The few IMAP commands (RFC 9051) that are needed to read a mailbox. */
import type { ImapFlow, ImapFlowOptions } from 'imapflow'
import { DAY } from '../../platform/time.ts'
import { within } from '../../platform/within.ts'
import { connectionSentence, type MailServer } from '../transport/connection-sentences.ts'
import { describeMailError } from '../transport/smtp-errors.ts'
import { type AttachedPart, attachedParts } from './attached-parts.ts'

/** How much of a message we fetch in one go, in bytes: a report, and what a person wrote, come first. */
const MAX_SOURCE = 1_000_000

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

export async function uidsAfter(uid: number, client: ImapFlow): Promise<number[]> {
  const found = await client.fetchAll(`${uid + 1}:*`, { uid: true }, { uid: true })
  // A range that ends in `*` always includes the last message, whatever its uid (RFC 9051 section 6.4.9).
  const uids = found.map(message => message.uid).filter(other => other > uid)
  return uids.sort((one, other) => one - other)
}

/**
 * The uids of the messages that arrived after the message of this moment, by the server's clock, in order. Messages
 * that were sent more than a day before the moment are left out: if the server was moved and did not keep the times of
 * arrival, only recently sent messages count as new.
 */
export async function uidsArrivedAfter(time: number, client: ImapFlow): Promise<number[]> {
  // A search knows only days, and those of the server's time zone (RFC 9051 section 6.4.4).
  const day = new Date(time - DAY)
  const days = await client.search({ since: day, sentSince: day }, { uid: true })
  if (!days || days.length === 0) return []
  const found = await client.fetchAll(days, { internalDate: true }, { uid: true })
  const arrivals = found
    .map(({ uid, internalDate }) => ({ uid, at: timeOf(internalDate) }))
    .filter(({ at }) => at >= time)
    .sort((one, other) => one.uid - other.uid)
  // Times of arrival are whole seconds, so other messages may have come in the same second as the one that we know.
  const known = arrivals.findIndex(({ at }) => at === time)
  return arrivals.filter((_, i) => i !== known).map(({ uid }) => uid)
}

export type Fetched = { source: Uint8Array; arrivedAt: number | undefined; attachments: AttachedPart[] }

export async function fetchMessage(uid: number, client: ImapFlow): Promise<Fetched | undefined> {
  const query = { source: { start: 0, maxLength: MAX_SOURCE }, internalDate: true }
  const fetchOne = (bodyStructure: boolean) => client.fetchOne(String(uid), { ...query, bodyStructure }, { uid: true })
  // The library skips a response that it cannot read, such as a deeply nested structure. A message without its files is
  // better than none.
  const message = (await fetchOne(true)) || (await fetchOne(false))
  if (!message || message.source === undefined) return undefined
  return {
    source: message.source,
    arrivedAt: timeOf(message.internalDate) || undefined,
    attachments: attachedParts(message.bodyStructure),
  }
}

/**
 * The content of a part of a message, decoded, piece by piece, up to the byte `most`. Throws if the connection fails,
 * the server takes longer than `timeout` milliseconds for a piece, or the message is gone.
 */
export async function* fetchPart(
  client: ImapFlow,
  { uid, part }: { uid: number; part: string },
  { most, timeout }: { most: number; timeout: number },
): AsyncGenerator<Uint8Array> {
  const asked = client.download(String(uid), part, { uid: true, chunkSize: PIECE, maxBytes: most })
  const { content } = await within(timeout, asked)
  if (content === undefined) throw new Error('the part is not there anymore')
  const pieces = content[Symbol.asyncIterator]()
  try {
    for (;;) {
      const { done, value } = await within(timeout, pieces.next())
      if (done) return
      yield value
    }
  } finally {
    content.destroy()
  }
}

/** The size of a piece, in encoded bytes. */
const PIECE = 256 * 1024

/** 0 for a date that cannot be read. */
const timeOf = (date: Date | string | undefined): number => new Date(date ?? 0).getTime() || 0

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
  (error as ImapError).authenticationFailed === true && (error as ImapError).serverResponseCode !== 'UNAVAILABLE'

/** Why we could not connect, for people: what to do about it, if we know, and one line of the error. */
export function explainImapError(error: unknown, server: MailServer): string {
  const { code, message } = error as ImapError
  const text = [code, message].join(' ')
  const sentence = connectionSentence(text, server) ?? mailboxSentence(error, text, server)
  const description = describeImapError(error)
  return sentence === undefined ? description : `${sentence} (${description})`
}

function mailboxSentence(error: unknown, text: string, { host, port }: MailServer) {
  if (isRefusal(error)) return 'The mail server does not accept the user and the password in IMAP_URL'
  if ((error as ImapError).serverResponseCode === 'NONEXISTENT')
    return 'The mail server does not have the folder that IMAP_URL ends with'
  if (/ETIMEDOUT|timed? ?out/i.test(text)) return `${host}:${port} does not respond`
  if (/NoConnection|ECONNRESET|EPIPE|clos/i.test(text)) return `The connection to ${host} was lost`
  return undefined
}

/** One line for a log. The error itself is not logged: it contains the command that failed. */
export function describeImapError(error: unknown): string {
  const { code, responseText, reason, message } = error as ImapError
  return describeMailError(Object.assign(new Error(responseText ?? reason ?? message), { code }))
}
