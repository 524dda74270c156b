/** The way out for mail, as the configuration chooses it. */
import { join } from 'node:path'
import type { Config } from '../config/config.ts'
import { readDkim } from './dkim.ts'
import { createFileMailer } from './file-transport.ts'
import type { Mailer } from './message.ts'
import { createSmtpMailer } from './smtp-transport.ts'

export type { Mailbox, Mailer, Message } from './message.ts'
export { describeMailError, MailRefused } from './smtp-errors.ts'

/**
 * Long enough for a relay that greets late or looks messages over, and well within the lease of the
 * task, so that nobody else begins to send the message meanwhile.
 */
const SEND_DEADLINE = 45_000

/**
 * The mailer of this installation: SMTP where `SMTP_URL` is set, else files in `DATA_DIR/mail`.
 * `deadline` is the time in milliseconds that one send may take. Does not connect.
 *
 * Throws an Error that names the setting when the DKIM key cannot be used.
 */
export function createMailer(config: Config, { deadline = SEND_DEADLINE } = {}): Mailer {
  if (config.smtpUrl === undefined) return createFileMailer(join(config.dataDir, 'mail'))
  const { dkim } = config.settings.mail
  return createSmtpMailer(config.smtpUrl, { dkim: dkim && readDkim(dkim), deadline })
}
