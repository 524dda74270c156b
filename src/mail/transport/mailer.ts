/** How mail leaves the service: by SMTP or as files, depending on the configuration. */
import { join } from 'node:path'
import type { Config } from '../../config/config.ts'
import { readDkim } from './dkim.ts'
import { createFileMailer } from './files.ts'
import type { Mailer } from './message.ts'
import { createSmtpMailer } from './smtp.ts'

export type { Mailbox, Mailer, Message } from './message.ts'
export { describeMailError, MailDeferred, MailRefused, summaryOf } from './smtp-errors.ts'
export { addressSentenceIn, isAboutAllMail, isDeferredAddress } from './smtp-sentences.ts'

/**
 * How long one send may take, in milliseconds. It is long enough for a relay that greets late or scans messages, and
 * well within the task's lease, so that no other worker starts to send the same message meanwhile.
 */
const SEND_DEADLINE = 45_000

/**
 * The mailer of this installation: SMTP if `SMTP_URL` is set, otherwise files in `DATA_DIR/mail`.
 * `deadline` is how long one send may take, in milliseconds. Does not connect.
 *
 * Throws an Error that names the setting if the DKIM key cannot be used.
 */
export function createMailer(config: Config, { deadline = SEND_DEADLINE } = {}): Mailer {
  if (config.smtpUrl === undefined) return createFileMailer(join(config.dataDir, 'mail'))
  const { dkim } = config.settings.mail
  return createSmtpMailer(config.smtpUrl, { dkim: dkim && readDkim(dkim), deadline })
}
