/** What went wrong with the mail server, and what to do about it, in one sentence for people. */
import { isUnknownRecipient } from './bounce-codes.ts'
import { connectionSentence, type MailServer } from './connection-sentences.ts'

/** The fields that nodemailer adds to its errors. */
export type SmtpError = Error & {
  code?: string
  /** The original code, which nodemailer replaced with its own. */
  originalCode?: string
  command?: string
  response?: string
  responseCode?: number
}

/** Everything that can be read from an error. */
type Failure = {
  /** The codes and the message of the error itself. */
  error: string
  /** What the server replied; empty if it did not. */
  reply: string
  status: number
  command: string
  server: MailServer
}

/** A sentence without its period; undefined if we know nothing better than the error. `server`: where we connected. */
export function sentenceAbout(
  { code, originalCode, command = '', message, response = '', responseCode = 0 }: SmtpError,
  server: MailServer = { protocol: 'smtp:', host: 'the mail server', port: '587' },
): string | undefined {
  const error = [code, originalCode, response === '' ? message : ''].join(' ')
  const failure = { error, reply: response, status: responseCode, command, server }
  return connectionSentence(error, server) ?? rules.find(([applies]) => applies(failure))?.[1](server, failure)
}

type Rule = [applies: (failure: Failure) => boolean, sentence: (server: MailServer, failure: Failure) => string]

const rejected = ({ status }: Failure) => status >= 500 && status < 600

const RELAY = /relay|not (?:one of )?(?:our|my) (?:user|customer)|not a local/i

const SENDER =
  /send(?:ing)? (?:mail )?(?:as|from|on behalf)|not owned|sender|from address|(?<![\d.])5\.(?:1\.[78]|7\.60)(?![\d.]*\d)/i

const LOGIN = /auth\w* (?:is )?(?:required|needed)|must (?:authenticate|log ?in)|log ?in first/i

/** The first rule that applies counts. */
const rules: Rule[] = [
  [
    failure =>
      failure.server.protocol === 'smtp:' &&
      failure.server.port === '465' &&
      failure.reply === '' &&
      /greeting|closed unexpectedly|ETIMEDOUT|EPROTOCOL/i.test(failure.error),
    () => 'Port 465 begins with TLS. In SMTP_URL, write smtps://, or the port for smtp://, usually 587',
  ],
  [
    ({ error, command }) => /ETLS|ECONNECTION/.test(error) && /STARTTLS/.test(error + command),
    ({ host }) => `${host} does not offer encryption (STARTTLS), and we do not send a password without it`,
  ],
  [
    ({ reply, status }) => status === 530 || LOGIN.test(reply),
    () => 'The mail server requires a login: put a user and a password into SMTP_URL',
  ],
  [
    ({ error, reply }) => /EAUTH/.test(error) && reply === '',
    () => 'SMTP_URL has a user and a password, but the mail server does not offer a login',
  ],
  [
    failure => /EAUTH/.test(failure.error) && rejected(failure),
    () => 'The mail server does not accept the user and the password in SMTP_URL',
  ],
  [
    ({ command, reply, status }) => command === 'RCPT TO' && isUnknownRecipient(status, reply),
    (_, { reply }) => aboutAddress(reply),
  ],
  [
    ({ reply }) => RELAY.test(reply),
    () =>
      'The mail server does not send mail to other domains for us: log in with a user and a password in SMTP_URL, or allow this machine on the mail server',
  ],
  [
    failure => rejected(failure) && (failure.command === 'MAIL FROM' || SENDER.test(failure.reply)),
    () => 'The mail server does not let us send from the address in MAIL_FROM',
  ],
  [failure => rejected(failure) && failure.command === 'RCPT TO', () => addressSentences.rejects],
  [failure => rejected(failure) && failure.command === 'DATA', () => 'The mail server rejects the message'],
  [rejected, () => 'The mail server rejects our connection'],
  [({ command, status }) => status >= 400 && status < 500 && command === 'RCPT TO', () => addressSentences.defers],
  [({ status }) => status >= 400 && status < 500, () => 'The mail server asks us to try again later'],
]

function aboutAddress(reply: string): string {
  if (/(?<![\d.])5\.(?:1\.2|1\.10|4\.4|4\.310)(?![\d.]*\d)|^556/.test(reply)) return addressSentences.noDomain
  if (/(?<![\d.])5\.2\.1(?![\d.]*\d)/.test(reply)) return addressSentences.disabled
  return addressSentences.unknown
}

const addressSentences = {
  unknown: 'The mail server does not know this address',
  disabled: 'This mailbox is disabled',
  noDomain: 'The domain of this address does not exist or accepts no email',
  rejects: 'The mail server rejects mail from us to this address',
  defers: 'The mail server does not accept mail for this address at the moment',
} as const

/** The sentence at the beginning of a task's note, if it is about the message's address, not mail in general. */
export const addressSentenceIn = (note: string): string | undefined =>
  Object.values(addressSentences).find(sentence => note.startsWith(sentence))

/** The note of a message that is not due yet. It may have failed before. */
const WAITS = /^waits /

/** Whether a task's note names trouble that stops other messages, too: neither one address, nor a wait. */
export const isAboutAllMail = (note: string): boolean => addressSentenceIn(note) === undefined && !WAITS.test(note)

/** Whether such a sentence says that a later attempt may succeed on its own. */
export const isDeferredAddress = (sentence: string): boolean => sentence === addressSentences.defers
