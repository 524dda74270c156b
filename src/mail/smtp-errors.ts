/** What went wrong with a message: for good or for now, in words without personal data. */
import { isHard } from './bounce-codes.ts'

/** The message cannot be delivered; the same message would be refused again. Do not retry. */
export class MailRefused extends Error {
  override name = 'MailRefused'
  /** The server says that there is no such mailbox, and does not merely dislike the message. */
  readonly unknownAddress: boolean
  constructor(message: string, { unknownAddress = false } = {}) {
    super(message)
    this.unknownAddress = unknownAddress
  }
}

/** The message was not delivered this time. */
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
 * Codes that speak of the sender's account, not of the message (RFC 4954 section 6, RFC 3207):
 * the operator has to mend them, and the message must wait for that.
 */
const ACCOUNT_CODES = [530, 534, 535, 538]

/**
 * MailRefused where the server refused this very message with a 5xx reply (RFC 5321 section
 * 4.2.1), or where the message could not even be offered; MailDeferred for everything else. Of the
 * original error nothing is kept but the description: nodemailer hangs recipients on its errors.
 */
export function judge(error: unknown): MailRefused | MailDeferred {
  const { code, command, response, responseCode } = error as SmtpError
  const aboutMessage = code === 'EENVELOPE' || code === 'EMESSAGE'
  const text = describeMailError(error)
  if (!aboutMessage || !isFinal(responseCode)) return new MailDeferred(text)
  return new MailRefused(text, {
    unknownAddress: command === 'RCPT TO' && isHard('', response ?? ''),
  })
}

/** 503 speaks of the order of commands: a new connection may well bring the message through. */
const isFinal = (code: number | undefined): boolean =>
  code === undefined || (code >= 500 && code !== 503 && !ACCOUNT_CODES.includes(code))

/** Anything that looks like a mailbox, quoted local parts (RFC 5321 section 4.1.2) included. */
const ADDRESSES = /<?(?:"[^"]*"|[^\s<>()[\],;:"]+)@[^\s<>()[\],;:"]+>?/g

const MAX_LENGTH = 300
/** A server may say a million characters; more than these are not looked at. */
const MAX_LOOKED_AT = 2000

/**
 * One short line about a failed send, fit for a log: the error code and what the server said, each
 * e-mail address replaced by `<address>`. At most 300 characters.
 */
export function describeMailError(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown error'
  const { code, command, response, message } = error as SmtpError
  const place = [code, command && command !== 'CONN' && command !== 'API' ? `at ${command}` : '']
  const text =
    response ?? (code && message.startsWith(`${code}: `) ? message.slice(code.length + 2) : message)
  const line = [place.filter(Boolean).join(' '), text].filter(Boolean).join(': ')
  return line
    .slice(0, MAX_LOOKED_AT)
    .replace(ADDRESSES, '<address>')
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .slice(0, MAX_LENGTH)
}
