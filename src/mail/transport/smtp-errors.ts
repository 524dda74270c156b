/** Why a message was not sent, and whether another attempt can help, without personal data. */
import { isUnknownRecipient } from './bounce-codes.ts'
import type { MailServer } from './connection-sentences.ts'
import { type SmtpError, sentenceAbout } from './smtp-sentences.ts'

/** A message was not delivered. The message of the error quotes the server, for the operator. */
abstract class MailError extends Error {
  /** What happened, in a sentence for people who know nothing about mail servers. */
  readonly summary: string
  constructor(message: string, { summary = message }: { summary?: string | undefined } = {}) {
    super(message)
    this.summary = summary
  }
}

/** According to the server, the mailbox does not exist or accepts no mail: no attempt will ever reach it. */
export class MailRefused extends MailError {
  override name = 'MailRefused'
}

/** A later attempt may succeed, on its own or once the operator has changed something. */
export class MailDeferred extends MailError {
  override name = 'MailDeferred'
  /** Whether the server rejected this message or our session with a 5xx, and did not ask us to wait. */
  readonly rejected: boolean
  /** Whether the server asked us with a 4xx to try this mailbox or this message again later. */
  readonly deferred: boolean
  constructor(
    message: string,
    {
      rejected = false,
      deferred = false,
      ...rest
    }: { rejected?: boolean; deferred?: boolean; summary?: string | undefined } = {},
  ) {
    super(message, rest)
    this.rejected = rejected
    this.deferred = deferred
  }
}

/**
 * MailRefused if a 5xx reply to RCPT TO says that there is no such mailbox, or if the address cannot even be offered.
 * MailDeferred for everything else: any other 5xx is about us (the sender, the client, the relay) or about the message,
 * and the operator can fix the cause during the days in which we retry. Only a description of the original error is
 * kept: nodemailer attaches recipients to its errors.
 */
export function classifySendError(error: unknown, server?: MailServer): MailRefused | MailDeferred {
  const failure = error as SmtpError
  const { code, command, response, responseCode = 0 } = failure
  const sentence = sentenceAbout(failure, server)
  const description = describeMailError(error)
  const text = sentence === undefined ? description : `${sentence} (${description})`
  const summary = sentence && `${sentence}${codesOf(response)}.`
  const impossible = code === 'EENVELOPE' && command === 'API'
  const unknown = command === 'RCPT TO' && isUnknownRecipient(responseCode, response ?? '')
  if (impossible || unknown) return new MailRefused(text, { summary })
  const aboutThis = command === 'RCPT TO' || command === 'DATA'
  return new MailDeferred(text, {
    summary,
    rejected: responseCode >= 500 && responseCode < 600,
    deferred: aboutThis && responseCode >= 400 && responseCode < 500,
  })
}

/**
 * Whether what the server said is not a reply of a mail server, which would begin with three digits (RFC 5321 section
 * 4.2).
 */
export function isNoReply(error: unknown): boolean {
  const { response } = error as SmtpError
  return response !== undefined && !/^\d{3}/.test(response)
}

/** The codes of a reply: ` (550 5.1.1)`. */
function codesOf(response = ''): string {
  const codes = /^\d{3}(?:[ -]\d\.\d{1,3}\.\d{1,3})?/.exec(response)?.[0]
  return codes === undefined ? '' : ` (${codes.replace('-', ' ')})`
}

/** The short sentence for any failure. */
export const summaryOf = (error: unknown): string =>
  error instanceof MailError ? error.summary : describeMailError(error)

/** Anything that looks like a mailbox, quoted local parts (RFC 5321 section 4.1.2) included. */
const ADDRESSES = /<?(?:"[^"]*"|[^\s<>()[\],;:"]+)@[^\s<>()[\],;:"]+>?/g

const MAX_LENGTH = 400
/** A server may send a million characters; we read only this many. */
const MAX_READ = 2000

/**
 * One short line about a failed send, safe to log: the error code and what the server said, with
 * each email address replaced by `<address>`. At most 400 characters.
 */
export function describeMailError(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown error'
  const { code, command, response, message } = error as SmtpError
  const where = [code, command && command !== 'CONN' && command !== 'API' ? `at ${command}` : '']
  const text = response ?? (code && message.startsWith(`${code}: `) ? message.slice(code.length + 2) : message)
  const line = [where.filter(Boolean).join(' '), text].filter(Boolean).join(': ')
  return line
    .slice(0, MAX_READ)
    .replace(ADDRESSES, '<address>')
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .slice(0, MAX_LENGTH)
}
