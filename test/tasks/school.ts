/** A school with counselors for a test, and a diary of the messages it sends, each with its moment. */
import { ok } from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { checkSettings, type PartialSettings } from '../../src/config/settings.ts'
import { createCalendar } from '../../src/follow-up/calendar.ts'
import { resumption } from '../../src/follow-up/schedule.ts'
import type { EmailAddress } from '../../src/leads/body/email.ts'
import { addressHash } from '../../src/leads/body/email.ts'
import type { Message } from '../../src/mail/transport/mailer.ts'
import { classifySendError } from '../../src/mail/transport/smtp-errors.ts'
import { startApp, type TestApp, type TestOptions } from '../support/app.ts'
import { aStudent } from '../support/bodies.ts'
import { testClock } from '../support/clock.ts'
import { sql } from '../support/engines.ts'

/** A Monday, 11:30 at the school, 10:30 and 9:30 in the two time zones of Texas. */
export const MONDAY = at('11-23 16:30')

/** A moment of the year 2026, in UTC. */
export function at(text: string): number {
  return Date.parse(`2026-${text.replace(' ', 'T')}Z`)
}

export const aCounselor = (id: string, more: object = {}) => ({
  id,
  name: `${id[0]?.toUpperCase()}${id.slice(1)} Example`,
  email: `${id}@school.example` as EmailAddress,
  ...more,
})

/** Maria has Texas; Sam is her backup. */
export const counselors = [
  aCounselor('maria', { weight: 1, states: ['TX'], backup: 'sam' }),
  aCounselor('sam', { weight: 1 }),
]

/** The default cadence, at a school that may send follow-up emails. */
export const aSchool: PartialSettings = {
  school: { postalAddress: '100 Main Street, Springfield, TX 75001' },
  admissions: { counselors, manager: { name: 'Dana Example', email: 'dana@school.example' as EmailAddress } },
}

export type School = TestApp & {
  /** The messages sent, such as `11-23 16:35 maria step.1.0`: when, who gets it, and for which task. */
  diary(): string[]
  /** Advances the clock to a moment; all work is done when it is due. */
  until(moment: number | string): Promise<void>
  /** Advances the clock while the service is down. */
  downUntil(moment: number | string): void
  /** The steps of a lead that have come up: `0 done`, or `3 skipped the lead is reached`. */
  steps(leadId?: number): Promise<string[]>
  hashOf(email: string): Promise<string>
  resume(leadId?: number): Promise<void>
  /** Maria calls in vain, so that someone has tried. */
  call(leadId?: number): Promise<void>
}

export async function startSchool(
  t: TestContext,
  { settings = aSchool, mail, clock = testClock(MONDAY), ...options }: TestOptions = {},
): Promise<School> {
  const lines: string[] = []
  const send = typeof mail === 'function' ? mail : async () => {}
  const service = await startApp(t, {
    ...options,
    settings,
    clock,
    mail: async message => {
      await send(message)
      lines.push(entryOf(message, clock.now()))
    },
  })
  const { store } = service.app

  async function until(to: number | string): Promise<void> {
    const moment = typeof to === 'string' ? at(to) : to
    for (;;) {
      await service.settle()
      const now = clock.now()
      const [row] = await sql(
        service.database,
        `select min(due_at) as next from tasks where state = 'due' and due_at > ${now}`,
      )
      const next = Number(row?.['next'] ?? Infinity)
      if (Math.min(next || Infinity, moment) <= now) return
      clock.advance(Math.min(next || Infinity, moment) - now)
    }
  }

  return {
    ...service,
    diary: () => lines.toSorted(),
    until,
    downUntil: to => clock.advance((typeof to === 'string' ? at(to) : to) - clock.now()),
    steps: async (leadId = 1) => {
      const followUp = await store.readFollowUp(leadId)
      return (followUp?.steps ?? []).map(({ step, state, note }) =>
        // The note of a reminder that was sent says who got it, which the diary does, too.
        [step, state, state === 'done' ? null : note].filter(part => part !== null).join(' '),
      )
    },
    hashOf: async email => addressHash(await store.getOrCreateSecret('addresses', 'kept before'), email),
    call: async (leadId = 1) => {
      await store.recordCall(leadId, { outcome: 'no answer', note: '', actor: 'maria', now: clock.now() })
    },
    resume: async (leadId = 1) => {
      const found = await store.readLead(leadId)
      const followUp = await store.readFollowUp(leadId)
      if (found?.lead.pausedAt == null || followUp === undefined) throw new Error('It does not rest')
      const clocks = createCalendar(checkSettings(settings).settings).hoursFor(found.lead)
      const plan = resumption(followUp, found.lead.pausedAt, clock.now(), clocks)
      await store.resumeLead(leadId, { ...plan, actor: 'maria', now: clock.now() })
    },
  }
}

function entryOf({ to, id }: Message, now: number): string {
  const moment = new Date(now).toISOString().slice(5, 16).replace('T', ' ')
  const task = id.slice(0, id.indexOf('@')).split('.').slice(0, 3)
  return `${moment} ${to.address.slice(0, to.address.indexOf('@'))} ${task.join('.')}`
}

/** The follow-up emails and reminders of a diary, without other messages. */
export const stepsIn = (diary: string[]): string[] => diary.filter(line => line.includes(' step.'))

/** Ben lives in Texas, and writes now. */
export const ben = (over = {}) => aStudent({ email: 'ben@mail.example', ...over })

/** His number does not say in which time zone of Texas he lives: it is one of New York. */
export const benInEitherZone = (over = {}) => ben({ phone: '212-555-0199', ...over })

export const isLetter = ({ to, id }: Message) => to.address === 'ben@mail.example' && id.startsWith('step')

/** The mail server's response, as nodemailer reports it, that there is no such mailbox. */
export const noSuchMailbox = () =>
  classifySendError(
    Object.assign(new Error("Can't send mail"), {
      code: 'EENVELOPE',
      command: 'RCPT TO',
      responseCode: 550,
      response: '550 5.1.1 no such user',
    }),
  )

export const readLead = async ({ app }: School, id = 1) => {
  const found = await app.store.readLead(id)
  ok(found)
  return found
}

export const timelineOf = async (service: School, ...kinds: string[]) =>
  (await readLead(service)).timeline
    .filter(({ kind }) => kinds.includes(kind))
    .map(({ kind, detail, actor }) => [kind, detail, actor].filter(Boolean).join(' '))

export const contact = ({ app, clock }: School, id = 1) =>
  app.store.changeStage(id, { stage: 'contacted', closedReason: null, actor: 'maria', now: clock.now() })

/** The last link with this text that was sent to someone. */
export function linkIn({ sent, origin }: School, to: string, words: string): string {
  const message = sent.findLast(({ to: { address } }) => address.startsWith(`${to}@`))
  const pattern = new RegExp(`href="[^"]*(/act/[^"]*)"[^>]*>${words}<`)
  const [, path] = pattern.exec(message?.html ?? '') ?? []
  ok(path, `${words} in the message to ${to}`)
  return origin.console + path
}
