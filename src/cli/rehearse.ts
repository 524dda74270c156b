/** `frontdesk rehearse`: sends every message of a cadence to one address now, so that someone can read them. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Command, Option } from 'commander'
import type { Config } from '../config/config.ts'
import { createApp } from '../create-app.ts'
import { asciiDomain, type EmailAddress } from '../leads/body/email.ts'
import type { FormDetails } from '../leads/body/form-details.ts'
import { type Body, type Kind, kinds } from '../leads/body/submission.ts'
import { createMailer, describeMailError, type Message } from '../mail/transport/mailer.ts'
import { createLog } from '../platform/log.ts'
import { newSecret } from '../platform/secret.ts'
import { DAY } from '../platform/time.ts'
import { parseAddress } from './terminal/arguments.ts'
import { count, print } from './terminal/output.ts'
import { CommandFailed } from './terminal/terminal.ts'
import { createTimes } from './terminal/times.ts'
import { configInForce } from './terminal/with-store.ts'

export function rehearseCommand(): Command {
  return new Command('rehearse')
    .description('send every follow-up message for a sample lead to an address of yours, now')
    .argument('<address>', 'where all of them go')
    .addOption(new Option('--kind <kind>', 'the kind of lead').choices(kinds).default('student'))
    .option('--language <tag>', 'the language of the form that they filled in, such as es')
    .action(rehearse)
}

async function rehearse(text: string, { kind, language }: { kind: Kind; language?: string }): Promise<void> {
  const to = parseAddress(text)
  const config = await configInForce()
  const { languages } = config.settings
  if (language !== undefined && !languages.includes(language))
    throw new CommandFailed(`The settings do not have the language "${language}"; use ${languages.join(' or ')}.`)
  const started = Date.now()
  const messages = await messagesOfCadence(config, { kind, language }, started)
  const mailer = createMailer(config)
  const time = createTimes(config.settings.school, started).near
  try {
    for (const [index, { at, message }] of messages.entries()) {
      const number = `${index + 1}/${messages.length}`
      await mailer.send(asRehearsal(message, { to, number, config, now: started + index }))
      print(`${number}  ${time(at)}  to ${message.to.name || message.to.address}: ${message.subject}`)
    }
  } catch (error) {
    throw new CommandFailed(describeMailError(error))
  } finally {
    await mailer.close()
  }
  print(`${count(messages.length, 'message')} sent to ${to}, through ${mailer.destination}.`)
  print('The times are those for an inquiry that arrives now. The links in the messages do nothing.')
  if (kind === 'student' && config.settings.school.postalAddress === undefined)
    print('Students get only the receipt: school.postalAddress is not set.')
}

/** The kind of the sample lead, and the language of its form; null if it comes through the operation. */
type Inquiry = { kind: Kind; language: string | undefined }

type Sent = { at: number; message: Message }

/**
 * Follows up a sample lead until nothing more is due, in a database of its own that is deleted afterward, with a clock
 * that jumps from step to step. No one at the school does anything. So these are the messages that the settings really
 * send, in order. Links are signed with a key of their own, and do nothing.
 */
async function messagesOfCadence(config: Config, inquiry: Inquiry, started: number): Promise<Sent[]> {
  const folder = mkdtempSync(join(tmpdir(), 'frontdesk-rehearsal-'))
  try {
    return await messagesIn(folder, config, inquiry, started)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

async function messagesIn(folder: string, config: Config, inquiry: Inquiry, started: number): Promise<Sent[]> {
  const sent: Sent[] = []
  let now = started
  const app = await createApp(
    {
      ...config,
      // The database of the rehearsal does not know what was edited in the console.
      edited: {},
      dataDir: folder,
      database: { engine: 'sqlite', file: join(folder, 'rehearsal.db') },
      secretKey: newSecret(),
      imapUrl: undefined,
      settings: { ...config.settings, accounts: { ...config.settings.accounts, directory: 'none' } },
    },
    {
      clock: { now: () => now },
      log: createLog('silent'),
      mailer: {
        destination: 'rehearsal',
        send: async message => void sent.push({ at: now, message }),
        verify: async () => [],
        close: async () => {},
      },
    },
  )
  try {
    await app.store.accept(aSampleOf(inquiry, now))
    await app.worker.drain()
    while (now < started + LONGEST) {
      const followUp = await app.store.readFollowUp(1)
      const due = followUp?.steps.filter(({ state }) => state === 'due').map(({ dueAt }) => dueAt)
      if (due === undefined || due.length === 0) break
      now = Math.max(now + 1, Math.min(...due))
      await app.worker.drain()
    }
  } finally {
    await app.close()
  }
  return sent
}

/** The longest cadence, with pauses for holidays. */
const LONGEST = 800 * DAY

const person = { lastName: 'Okafor', phone: '512-555-0199' }

const samples: Body = {
  student: {
    ...person,
    firstName: 'Ben',
    email: 'ben@sample.example' as EmailAddress,
    city: 'Austin',
    state: 'TX',
    message: 'Are there evening classes?',
  },
  site: {
    ...person,
    firstName: 'Ana',
    email: 'ana@sample.example' as EmailAddress,
    company: 'Sample Hospital',
    address: '100 Main Street, Austin, TX 78701',
    message: 'We would like to host two students in spring.',
    website: '',
    startedAt: 0,
  },
}

function aSampleOf({ kind, language }: Inquiry, now: number) {
  const body = kind === 'site' ? { ...samples.site, startedAt: now - 60_000 } : samples.student
  return {
    kind,
    receivedAt: now,
    key: 'rehearsal',
    keyLifetime: null,
    fingerprint: 'rehearsal',
    email: body.email ?? null,
    answer: 200 as const,
    body: JSON.stringify(body),
    form: language === undefined ? null : JSON.stringify(aFormIn(language, now)),
    clientAddress: '',
    lockout: false,
  }
}

const aFormIn = (language: string, now: number): FormDetails => ({
  campaign: {},
  language,
  placement: 'hosted',
  startedAt: now - 60_000,
  consent: null,
})

/** The message as someone at the school reads it: to them alone, marked, and with nothing that could act. */
function asRehearsal(
  { unsubscribe: _, replyTo: __, ...message }: Message,
  { to, number, config, now }: { to: string; number: string; config: Config; now: number },
): Message {
  return {
    ...message,
    id: `rehearsal.${now}@${asciiDomain(config.mailFrom)}`,
    to: { name: message.to.name, address: to },
    subject: `[Rehearsal ${number}] ${message.subject}`,
    date: new Date(now),
  }
}
