/**
 * Emails that the staff of a simulated month write for a later day: some are answers at once, those for a far day only
 * once they are sent, and the person may write again before; some authors write another answer then, and cancel it once
 * the first one was sent. Some of those who write them leave, with whatever they have scheduled.
 */
import type { DatabaseAddress } from '../../src/config/environment.ts'
import { DAY, HOUR } from '../../src/platform/time.ts'
import type { Store } from '../../src/store/store.ts'
import { sql } from '../../test/support/engines.ts'
import { Random } from '../random.ts'
import type { Agenda } from './agenda.ts'
import { cookieOf } from './console-session.ts'
import type { LeadAct, Ledger } from './ledger.ts'
import type { Mail } from './mail.ts'
import type { Office } from './office.ts'
import { COUNSELORS, MANAGER, mailboxOf } from './school.ts'
import type { Web } from './web.ts'
import type { Moment, WorldTime } from './world-time.ts'

export type ScheduledEmail = {
  /** The entry of the timeline. */
  entry: number
  lead: number
  /** The address that the person had. */
  to: string
  author: string
  dueAt: number
  made: Moment
  /** The answer that it is at once; undefined if it is for a far day, and answers only once it is sent. */
  answer: LeadAct | undefined
  /** The answer that it was when it was sent for a far day. */
  sent: LeadAct | undefined
  /** Whether its author took it back before it was sent. */
  canceled?: true
}

/** Someone who writes emails and is not on the team. */
export type Leaver = {
  name: string
  operator: number
  /** When they could no longer sign in. */
  left: Moment | undefined
  /** Whether their scheduled emails were withdrawn then. Otherwise, each is stopped when it is to be sent. */
  withdrawn: boolean
  /** The leads about which they left a draft of an email. */
  drafts: number[]
}

type EmailServices = {
  seed: number
  time: WorldTime
  store: Store
  database: DatabaseAddress
  ledger: Ledger
  agenda: Agenda
  web: Web
  office: Office
}

/**
 * Those who leave, and from which day to which. Someone disables the last one with a command. A name in small letters
 * could be a counselor's id, and the timeline would show the address in its place.
 */
const LEAVERS = [
  { name: 'Gil', days: [9, 13], byCommand: false },
  { name: 'Hana', days: [16, 21], byCommand: false },
  { name: 'Ivo', days: [23, 28], byCommand: true },
] as const

/** The share of leads whose people are written to for a later day. */
const WRITTEN = 0.2

/** Emails for this time are answers at once, in milliseconds; for a far day, they are not. */
const NEAR = [4 * HOUR, 2.6 * DAY] as const
const FAR = [3.4 * DAY, 9 * DAY] as const

/** The words of an email that was not sent because its author has left. */
export const AUTHOR_LEFT = 'its author has left'

export class ScheduledEmails {
  readonly all: ScheduledEmail[] = []
  readonly leavers: Leaver[] = []
  readonly #deps: EmailServices
  /** The people that can be written to, by their leads. */
  readonly #people = new Map<number, string>()

  constructor(deps: EmailServices) {
    this.#deps = deps
  }

  async open(): Promise<void> {
    const { store, time, agenda, seed } = this.#deps
    for (const { name, days, byCommand } of LEAVERS) {
      const operator = await store.addOperator({
        email: mailboxOf(name.toLowerCase(), 'student'),
        name,
        role: 'counselor',
        now: time.now,
      })
      const leaver = { name, operator: operator ?? 0, left: undefined, withdrawn: false, drafts: [] }
      this.leavers.push(leaver)
      const random = new Random(seed, `leaver ${name.toLowerCase()}`)
      const leaves = random.between(days[0], days[1]) * DAY
      agenda.add(leaves - random.between(0.1, 2) * DAY, () => this.#writeToMany(name, random))
      agenda.add(leaves, () => (byCommand ? this.#disableByCommand(leaver) : this.#disable(leaver)))
    }
  }

  /** Someone at the school knows the lead of a person who may be written to. */
  know(lead: number, to: string): void {
    const { seed, agenda, time } = this.#deps
    this.#people.set(lead, to)
    const random = new Random(seed, `later ${lead}`)
    if (!random.chance(WRITTEN)) return
    const begin = time.elapsed + random.between(0, 4) * DAY
    const replies = random.chance(0.8)
    const write = () => this.#write(lead, this.#author(random), random)
    // Some write at once, before a colleague answers.
    const atOnce = random.chance(0.5)
    agenda.add(begin, async () => {
      if (replies) await this.#reply(lead)
      if (atOnce) await write()
    })
    if (!atOnce) agenda.add(begin + random.between(0.2, 0.8) * DAY, write)
  }

  /** Whether an entry of a timeline is one of these emails. */
  wrote(entry: number): boolean {
    return this.all.some(one => one.entry === entry)
  }

  /** How long a far email to the person of a lead waits until it is sent; undefined if there is none. */
  waitsFor(lead: number): number | undefined {
    const { time } = this.#deps
    const open = this.all.filter(one => one.lead === lead && one.answer === undefined && one.dueAt > time.now)
    const due = open.filter(({ author }) =>
      this.leavers.every(({ name, left }) => name !== author || left === undefined),
    )
    return due.length === 0 ? undefined : Math.min(...due.map(({ dueAt }) => dueAt)) - time.now
  }

  /** A message has come for the first time. An email for a far day is an answer from now on. */
  read({ kind, subject }: Mail): void {
    const { ledger } = this.#deps
    const one = kind === 'message' ? this.all.find(({ entry }) => entry === subject) : undefined
    if (one === undefined || one.answer !== undefined) return
    one.sent = ledger.lead(one.lead, 'answered', { writtenAt: one.made.elapsed })
    ledger.count('emails for a far day that were sent')
  }

  /** Looks whether someone still waits who has written nothing since an email to them was written, which was sent. */
  async look(): Promise<void> {
    const { database, ledger, time } = this.#deps
    const rows = await sql(
      database,
      `select e.id, e.lead_id from leads l
       join timeline e on e.lead_id = l.id and e.kind = 'message'
       join tasks t on t.kind = 'message' and t.subject = e.id and t.state = 'done'
       where l.unanswered_since is not null and not exists
         (select 1 from timeline n where n.lead_id = l.id and n.id > e.id and n.kind in ('submission', 'reply'))`,
    )
    for (const row of rows) {
      const [entry, lead] = [Number(row['id']), Number(row['lead_id'])]
      if (!this.wrote(entry) || ledger.takenBack.has(lead)) continue
      const at = new Date(time.now).toISOString()
      ledger.violations.push(`the person of lead ${lead} waits although the email of entry ${entry} was sent, at ${at}`)
    }
  }

  /** Mostly someone who is to leave, as long as they are there. */
  #author(random: Random): string {
    const here = this.leavers.flatMap(({ name, left }) => (left === undefined ? [name, name] : []))
    return random.pick([...COUNSELORS.map(({ id }) => id), MANAGER, ...here])
  }

  async #writeToMany(author: string, random: Random): Promise<void> {
    const known = [...this.#people.keys()]
    const count = Math.min(known.length, Math.max(4, Math.round(known.length / 8)))
    for (const lead of new Set(Array.from({ length: count }, () => random.pick(known)))) {
      if (random.chance(0.6)) await this.#reply(lead)
      await this.#write(lead, author, random)
    }
  }

  async #write(leadId: number, author: string, random: Random): Promise<void> {
    const isFar = random.chance(0.6)
    const [least, most] = isFar ? FAR : NEAR
    const wait = Math.round(random.between(least, most))
    const twice = isFar && random.chance(0.6)
    if (twice) await this.#reply(leadId)
    const written = await this.#schedule(leadId, author, { isFar, wait })
    if (written === undefined || !isFar) return
    const { agenda, time } = this.#deps
    if (twice) agenda.add(time.elapsed + wait - random.between(2, 9) * HOUR, () => this.#answerTwice(leadId))
    else if (random.chance(0.5)) agenda.add(time.elapsed + random.between(0.1, 0.9) * wait, () => this.#reply(leadId))
  }

  /** Someone answers a person shortly before another email to them is sent, and takes that back after it. */
  async #answerTwice(leadId: number): Promise<void> {
    const { agenda, time, store, ledger } = this.#deps
    const one = await this.#schedule(leadId, MANAGER, { isFar: false, wait: 2 * DAY })
    if (one === undefined) return
    agenda.add(time.elapsed + DAY, async () => {
      const { outcome } = await store.cancelMessage(one.entry, { now: time.now })
      if (outcome !== 'done' || one.answer === undefined) return
      one.canceled = true
      one.answer.takenBack = time.tick
      ledger.count('answers that were canceled')
    })
  }

  async #schedule(
    leadId: number,
    author: string,
    { isFar, wait }: { isFar: boolean; wait: number },
  ): Promise<ScheduledEmail | undefined> {
    const { store, ledger, time } = this.#deps
    const lead = await store.findLead(leadId)
    // Someone else writes in the place of an author who has left meanwhile.
    if (lead === undefined || this.leavers.some(({ name, left }) => name === author && left !== undefined))
      return undefined
    const dueAt = time.now + wait
    const message = { subject: 'Your visit', text: 'See you.', answers: undefined, reached: false, dueAt }
    const token = `later ${leadId} ${this.all.length}`
    const written = await store.writeMessage(leadId, { ...message, token, actor: author, now: time.now })
    if (written.outcome !== 'done') return undefined
    ledger.lead(leadId, 'attempted')
    const answer = isFar ? undefined : ledger.lead(leadId, 'answered')
    const to = this.#people.get(leadId) ?? ''
    const made = ledger.moment()
    const one = { entry: written.entry, lead: leadId, to, author, dueAt, made, answer, sent: undefined }
    this.all.push(one)
    ledger.count(isFar ? 'emails for a far day' : 'emails for a later day')
    return one
  }

  async #reply(lead: number): Promise<void> {
    const { office, ledger, store } = this.#deps
    const found = await store.findLead(lead)
    if (found?.email == null) return
    await office.recordInbound(lead, found.email, 'reply')
    ledger.lead(lead, 'reply')
    ledger.count('replies of people who are written to')
  }

  /** An admin disables them in the console: everything that they have scheduled becomes a draft. */
  async #disable(leaver: Leaver): Promise<void> {
    const { store, web, office, ledger, time } = this.#deps
    const headers = {
      Cookie: await cookieOf(store, office.operator, time.now),
      'Sec-Fetch-Site': 'same-origin',
      'Content-Type': 'application/x-www-form-urlencoded',
    }
    const options = { method: 'POST', headers, body: '' } as const
    const status = await web.request('console', `/operators/${leaver.operator}/disable`, options)
    if (status !== 303 && status !== 302)
      return void ledger.violations.push(`${leaver.name} could not be disabled: ${status}`)
    leaver.withdrawn = true
    await this.#left(leaver)
  }

  /** Someone disables them with a command, which leaves what they have scheduled, as a process does that dies meanwhile. */
  async #disableByCommand(leaver: Leaver): Promise<void> {
    const { store, time } = this.#deps
    await store.disableOperator(leaver.operator, { now: time.now, audit: [] })
    await this.#left(leaver)
  }

  async #left(leaver: Leaver) {
    const { ledger, database } = this.#deps
    leaver.left = ledger.moment()
    ledger.count('people who left')
    const drafts = await sql(
      database,
      `select lead_id from drafts where operator_id = ${leaver.operator} and kind = 'email'`,
    )
    leaver.drafts = drafts.map(row => Number(row['lead_id']))
    await this.learn()
  }

  /** Learns which emails were answers and are not any more, since they are not sent: their people wait as before. */
  async learn(): Promise<void> {
    const { database, ledger, time } = this.#deps
    const rows = await sql(
      database,
      `select subject, finished_at from tasks where kind = 'message' and state = 'skipped' and note = '${AUTHOR_LEFT}'`,
    )
    const ended = new Map(rows.map(row => [Number(row['subject']), Number(row['finished_at'])]))
    for (const { entry, answer } of this.all) {
      const at = ended.get(entry)
      if (answer !== undefined && at !== undefined) answer.takenBack ??= Math.max(...time.ticksOfEnd(at))
    }
    ledger.counts.set('emails that were not sent since their author had left', ended.size)
  }
}
