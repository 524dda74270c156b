/** A school that watches its mailbox, for tests that hand it messages as they come (RFC 5322). */
import type { TestContext } from 'node:test'
import { buildConfig } from '../../src/config/config.ts'
import { checkSettings } from '../../src/config/settings.ts'
import { createCalendar } from '../../src/follow-up/calendar.ts'
import { createMessageIds } from '../../src/mail/message-id.ts'
import { createAddressees } from '../../src/mail/staff-addressees.ts'
import type { Message } from '../../src/mail/transport/mailer.ts'
import { createLog } from '../../src/platform/log.ts'
import { cadenceVersions } from '../../src/tasks/cadence-start.ts'
import { createReceiver } from '../../src/tasks/inbound/incoming.ts'
import type { Engine } from '../support/engines.ts'
import { aSchool, ben, startSchool } from './school.ts'

const SECRET = 'a secret of the tests, long enough'
const MAILBOX = 'mailbox of the tests'

/** Ben has written to it. Its mail server calls itself `mx.school.example`. */
export async function startReceiving(t: TestContext, engine: Engine, scanCommand: string[] = []) {
  const env = { SECRET_KEY: SECRET, MAIL_FROM: 'desk@school.example', ADMISSIONS_EMAIL: 'team@school.example' }
  const settings = { ...aSchool, mail: { trustedServer: 'mx.school.example' }, attachments: { scanCommand } }
  const school = await startSchool(t, { engine, env, settings })
  const { app, clock, sent, log, settle } = school
  const { store } = app
  await school.postStudent(ben())
  await settle()
  const config = { ...buildConfig(env, checkSettings(settings)), database: school.database }
  const calendar = createCalendar(config.settings)
  await store.setMailboxPosition(MAILBOX, { uidValidity: '1', lastUid: 0, lastArrival: 0 })
  const receive = await createReceiver(
    {
      config,
      store,
      clock,
      calendar,
      cadences: cadenceVersions(store, config.settings),
      addressees: createAddressees({ config, store, calendar }),
      identity: createMessageIds(SECRET, config.mailFrom),
      addressSecret: await store.getOrCreateSecret('addresses', ''),
      changed: () => {},
      log: createLog('debug', { write: (line: string) => void log.push(line) }),
    },
    MAILBOX,
  )
  let uid = 0
  const hand = async (lines: readonly string[], files: readonly SentFile[], failures = 0) => {
    const source = Buffer.from(`${lines.join('\r\n')}\r\n`)
    const attachments = files.map(({ name, size, content }, i) => ({
      part: String(i + 2),
      name,
      type: 'application/octet-stream',
      size: size ?? (content instanceof Error ? 9 : content.length),
    }))
    await receive({
      uidValidity: '1',
      uid,
      arrivedAt: undefined,
      source,
      attachments,
      failures,
      async *read({ part }, most) {
        const content = files[Number(part) - 2]?.content ?? Buffer.alloc(0)
        if (content instanceof Error) throw content
        const end = Math.min(most, content.length)
        for (let at = 0; at < end; at += 50_000) yield content.subarray(at, Math.min(at + 50_000, end))
      },
    })
    await settle()
  }
  return {
    ...school,
    store,
    /** Hands the lines of a message to the school, and does what follows from it at once. */
    receive: async (...lines: string[]) => {
      uid++
      await hand(lines, [])
    },
    /** The same with files. `again`: how often handling it has failed. */
    receiveFiles: async (files: readonly SentFile[], lines: readonly string[], { again = 0 } = {}) => {
      if (again === 0) uid++
      await hand(lines, files, again)
    },
    /** The latest message to an address. */
    last: (to: string): Message => {
      const found = sent.findLast(message => message.to.address === to)
      if (found === undefined) throw new Error(`nothing was sent to ${to}`)
      return found
    },
  }
}

/** A file of an email; an error if the mail server does not give it out. `size` is what the server says. */
export type SentFile = { name: string; content: Buffer | Error; size?: number }

/** What our mail server adds to a message whose sender it vouches for. */
export const vouchedFor = (domain: string) =>
  `Authentication-Results: mx.school.example; dmarc=pass header.from=${domain}`

/** The report of a mail server that does not know the recipient (RFC 3464); `returned` are its headers. */
export const bounceOf = (recipient: string, returned: string[], says = 'User unknown', action = 'failed') => [
  'From: Mail Delivery System <MAILER-DAEMON@relay.example>',
  'Subject: Undelivered Mail Returned to Sender',
  'Return-Path: <>',
  'Auto-Submitted: auto-replied',
  'MIME-Version: 1.0',
  'Content-Type: multipart/report; report-type=delivery-status; boundary="b"',
  '',
  '--b',
  'Content-Type: message/delivery-status',
  '',
  'Reporting-MTA: dns; relay.example',
  '',
  `Final-Recipient: rfc822; ${recipient}`,
  `Action: ${action}`,
  'Status: 5.1.1',
  `Diagnostic-Code: smtp; 550 5.1.1 ${says}`,
  '--b',
  'Content-Type: text/rfc822-headers',
  '',
  ...returned,
  '--b--',
]

/** The headers of a message of ours, as its recipient has them and a mail server returns them. */
export const headersOf = ({ id, mark }: Message) => [`Message-ID: <${id}>`, `X-Frontdesk-Mark: ${mark}`]
