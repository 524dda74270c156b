/** The part of `frontdesk check` that talks with the mail server. */
import type { Config } from '../../config/config.ts'
import { asciiDomain, asciiMailbox } from '../../leads/body/email.ts'
import type { Messages } from '../../mail/messages.ts'
import { createMailer, describeMailError, type Mailer } from '../../mail/transport/mailer.ts'
import { parseAddress } from '../terminal/arguments.ts'
import { count, print } from '../terminal/output.ts'

/**
 * Logs in to the mail server, and asks whether it accepts mail from MAIL_FROM to everyone at the school
 * that Frontdesk writes to. Sends nothing, except a test message on request. Throws an Error with the
 * reason when something would not work.
 */
export async function checkMail(
  config: Config,
  messages: () => Pick<Messages, 'test' | 'asMessage'>,
  testAddress: string | undefined,
): Promise<void> {
  const mailer = createMailer(config)
  try {
    await askAboutStaff(config, mailer)
    if (testAddress !== undefined) await sendTestMail(config, mailer, messages(), testAddress)
  } catch (error) {
    throw new Error(describeMailError(error))
  } finally {
    await mailer.close()
  }
}

async function askAboutStaff(config: Config, mailer: Mailer): Promise<void> {
  const rejected = await mailer.verify(asciiMailbox(config.mailFrom), staffOf(config))
  // Many servers reject a sender once for each recipient.
  const alike = Map.groupBy(rejected, ({ address, reason }) => reason.replaceAll(address, ''))
  for (const [first, ...others] of alike.values()) {
    if (first === undefined) continue
    const addresses = [first, ...others].map(({ address }) => address).join(', ')
    print(`${first.temporary ? 'note' : 'fail'}  mail to ${addresses}: ${first.reason}`)
  }
  const lost = rejected.filter(({ temporary }) => !temporary).length
  if (lost > 0) {
    throw new Error(`${count(lost, 'address', 'addresses')} of your staff would get no email`)
  }
}

/** Everyone at the school that Frontdesk writes to, each address once. */
function staffOf({ settings, partnershipsEmail, admissionsEmail }: Config): string[] {
  const { counselors, manager } = settings.admissions
  const staff = [...counselors, ...(manager ? [manager] : [])].map(({ email }) => email)
  return [...new Set([partnershipsEmail, admissionsEmail, ...staff].map(asciiMailbox))]
}

async function sendTestMail(
  config: Config,
  mailer: Mailer,
  messages: Pick<Messages, 'test' | 'asMessage'>,
  address: string,
): Promise<void> {
  const to = parseAddress(address)
  const content = await messages.test({ to: { name: '', address: to } })
  const now = Date.now()
  const id = `test.${now}@${asciiDomain(config.mailFrom)}`
  await mailer.send(messages.asMessage(content, { id, date: new Date(now) }))
  print(`sent  a test message to ${to}, through ${mailer.destination}`)
}
