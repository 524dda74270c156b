/** Why a message was not sent, and whether another attempt can help, without personal data. */
import { isHard } from './bounce-codes.ts'

/** The message cannot be delivered; the same message would be refused again. Do not retry. */
export class MailRefused extends Error {
  override name = 'MailRefused'
  /** Whether the server says that the mailbox does not exist, rather than objecting to the message. */
  readonly unknownAddress: boolean
  constructor(message: string, { unknownAddress = false } = {}) {
    super(message)
    this.unknownAddress = unknownAddress
  }
}

/** The message was not delivered; a later attempt may succeed. */
export class MailDeferred extends Error {
  override name = 'MailDeferred'
}

/** The fields that nodemailer adds to its errors. */
type SmtpError = Error & {
  code?: string
  command?: string
  response?: string
  responseCode?: number
}

/**
 * Codes about the sender's account, not about the message (RFC 4954 section 6, RFC 3207): the
 * operator has to fix them, and the message waits until then.
 */
const ACCOUNT_CODES = [530, 534, 535, 538]

/**
 * MailRefused if the server rejected this message with a 5xx reply (RFC 5321 section 4.2.1), or if
 * the message could not even be offered; MailDeferred for everything else. Only a description of the
 * original error is kept: nodemailer attaches recipients to its errors.
 */
export function classifySendError(error: unknown): MailRefused | MailDeferred {
  const { code, command, response, responseCode } = error as SmtpError
  const aboutMessage = code === 'EENVELOPE' || code === 'EMESSAGE'
  const text = describeMailError(error)
  if (!aboutMessage || !isFinal(responseCode)) return new MailDeferred(text)
  return new MailRefused(text, {
    unknownAddress: command === 'RCPT TO' && isHard('', response ?? ''),
  })
}

/** 503 is about the order of commands: the message may well get through on a new connection. */
const isFinal = (code: number | undefined): boolean =>
  code === undefined || (code >= 500 && code !== 503 && !ACCOUNT_CODES.includes(code))

/** Anything that looks like a mailbox, quoted local parts (RFC 5321 section 4.1.2) included. */
const ADDRESSES = /<?(?:"[^"]*"|[^\s<>()[\],;:"]+)@[^\s<>()[\],;:"]+>?/g

const MAX_LENGTH = 300
/** A server may send a million characters; we read only this many. */
const MAX_READ = 2000

/**
 * One short line about a failed send, safe to log: the error code and what the server said, with
 * each email address replaced by `<address>`. At most 300 characters.
 */
export function describeMailError(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown error'
  const { code, command, response, message } = error as SmtpError
  const where = [code, command && command !== 'CONN' && command !== 'API' ? `at ${command}` : '']
  const text =
    response ?? (code && message.startsWith(`${code}: `) ? message.slice(code.length + 2) : message)
  const line = [where.filter(Boolean).join(' '), text].filter(Boolean).join(': ')
  return line
    .slice(0, MAX_READ)
    .replace(ADDRESSES, '<address>')
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .slice(0, MAX_LENGTH)
}
