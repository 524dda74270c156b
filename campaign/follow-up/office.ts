/**
 * Everything that happens at the school apart from mail: the operator works on the database as the
 * command line does, and the mailbox reader records the replies of students.
 */
import type { DatabaseAddress } from '../../src/config/environment.ts'
import { restartOf } from '../../src/follow-up/schedule.ts'
import { enter } from '../../src/http/entered-inquiry.ts'
import { createIntake, type Intake } from '../../src/http/intake.ts'
import { recordCall } from '../../src/lead-actions/record-call.ts'
import { resume } from '../../src/lead-actions/resume.ts'
import type { Services } from '../../src/lead-actions/services.ts'
import { addressHash } from '../../src/leads/body/email.ts'
import type { FormDetails } from '../../src/leads/body/form-details.ts'
import { type ClosedReason, stages } from '../../src/leads/lead/stages.ts'
import { DAY, HOUR, MINUTE } from '../../src/platform/time.ts'
import type { Store } from '../../src/store/store.ts'
import { sql } from '../../test/support/engines.ts'
import { Random } from '../random.ts'
import type { Agenda } from './agenda.ts'
import { localTime } from './hours.ts'
import type { Ledger } from './ledger.ts'
import { type Arrival, bodyOf, enteredOf } from './people.ts'
import { COUNSELORS, MANAGER, OPERATOR_EMAIL } from './school.ts'
import { MONTH, type WorldTime } from './world-time.ts'

type OfficeServices = {
  seed: number
  time: WorldTime
  store: Store
  database: DatabaseAddress
  ledger: Ledger
  agenda: Agenda
  services: Services
}

const MAILBOX = 'imap://replies.campaign.example'
const actor = 'operator'

export class Office {
  readonly #deps: OfficeServices
  #messages = 0

  /** The admin. */
  operator = 0

  constructor(deps: OfficeServices) {
    this.#deps = deps
  }

  async open(): Promise<void> {
    const { store, time } = this.#deps
    // No email goes out in the name of someone who has no account and is not on the team.
    this.operator = (await store.addOperator({ email: OPERATOR_EMAIL, name: actor, role: 'admin', now: time.now })) ?? 0
    await store.setMailboxPosition(MAILBOX, { uidValidity: '1', lastUid: 0, lastArrival: 0 })
  }

  /** Every two or three days a counselor falls ill, every week or so the manager; some are back earlier than announced. */
  planAbsences(): void {
    this.#planAbsences('absences', { who: COUNSELORS.map(({ id }) => id), every: [2, 3] })
    this.#planAbsences('absences of the manager', { who: [MANAGER], every: [4, 7] })
  }

  #planAbsences(purpose: string, { who, every: [least, most] }: { who: string[]; every: [number, number] }) {
    const random = new Random(this.#deps.seed, purpose)
    for (let at = DAY; at < MONTH; at += random.between(least, most) * DAY) {
      const id = random.pick(who)
      const days = random.pick([0, 1, 3])
      const back = random.chance(0.4) ? random.between(4, 20) * HOUR : undefined
      this.#deps.agenda.addEarly(at, () => this.#callInSick(id, days, back))
    }
  }

  async #callInSick(counselor: string, days: number, back: number | undefined) {
    const { store, time, ledger, agenda } = this.#deps
    const absence = { counselor, firstDay: day(time.now), lastDay: day(time.now + days * DAY) }
    const id = await store.addAbsence(absence)
    const kept = { ...absence, from: ledger.moment().from, to: Number.POSITIVE_INFINITY }
    ledger.absences.push(kept)
    ledger.count(counselor === MANAGER ? 'absences of the manager' : 'absences')
    if (back === undefined) return
    agenda.addEarly(time.elapsed + back, async () => {
      await store.removeAbsence(id)
      kept.to = ledger.moment().from
    })
  }

  /** Enters a person who called. Returns whether that was accepted. */
  async enter(arrival: Arrival): Promise<boolean> {
    const { time } = this.#deps
    const entered = { by: actor, name: actor, mayWrite: false, reached: false }
    const more = { language: 'en', cameFrom: '', nonce: `call ${arrival.person.n}`, clientAddress: '127.0.0.1' }
    const entry = { kind: arrival.person.kind, values: enteredOf(arrival), entered, ...more }
    return (await enter(this.intake(), entry, time.now)).outcome === 'accepted'
  }

  /** Receives a form of the school that a student has sent. Returns whether it was accepted. */
  async receiveForm(arrival: Arrival): Promise<boolean> {
    const { person, copy } = arrival
    const { idempotencyKey: _, ...body } = bodyOf(arrival, this.#deps.time.now)
    const { bestTime } = person
    return this.#receive(body, { nonce: `form ${person.n}x${copy}`, ...(bestTime && { bestTime }) })
  }

  /** Receives what someone with two leads writes under one of their addresses. Returns whether it was accepted. */
  async receiveAgain(body: Record<string, string>, nonce: string): Promise<boolean> {
    return this.#receive(body, { nonce })
  }

  async #receive(
    body: Record<string, unknown>,
    { nonce, ...given }: { nonce: string } & Pick<FormDetails, 'bestTime'>,
  ) {
    const startedAt = this.#deps.time.now - MINUTE
    const details: FormDetails = {
      campaign: {},
      language: 'en',
      placement: 'hosted',
      startedAt,
      consent: null,
      ...given,
    }
    const form = { once: { nonce }, details: JSON.stringify(details), required: [] }
    const submitted = { body, headers: {}, clientAddress: '127.0.0.1', dryRun: false, form }
    return (await this.intake().student(submitted)).outcome === 'accepted'
  }

  /** The intake of the service, for inquiries that come to it without a request. */
  intake(): Intake {
    const { services, store } = this.#deps
    const { settings } = services
    const accepted = () => store.announce()
    return createIntake({
      store,
      clock: store.clock,
      settings,
      directory: undefined,
      events: { count: () => {} },
      accepted,
    })
  }

  /** Moves a lead that was reached to its next stage. */
  async advance(id: number): Promise<void> {
    const lead = await this.#lead(id)
    if (lead === undefined || lead.stage === 'new' || lead.stage === 'closed') return
    const known: readonly string[] = stages[lead.kind]
    const next = known[known.indexOf(lead.stage) + 1]
    if (next !== undefined && next !== 'closed') await this.#move(id, next, null)
  }

  async close(id: number): Promise<void> {
    const lead = await this.#lead(id)
    if (lead !== undefined && lead.stage !== 'closed') await this.#move(id, 'closed', 'not interested')
  }

  async #lead(id: number) {
    return (await this.#deps.store.readLead(id))?.lead
  }

  async #move(lead: number, stage: string, reason: ClosedReason | null) {
    const { store, ledger, time } = this.#deps
    const to = { stage, closedReason: reason, actor, now: time.now }
    if ((await store.changeStage(lead, to)).outcome !== 'gone') ledger.lead(lead, 'stage', { stage, reason })
  }

  async pause(lead: number): Promise<void> {
    const { store, ledger, time } = this.#deps
    if ((await store.pauseLead(lead, { actor, now: time.now })).outcome === 'done') ledger.lead(lead, 'pause')
  }

  async resume(id: number): Promise<void> {
    const { services, ledger } = this.#deps
    const lead = await this.#lead(id)
    if (lead !== undefined && (await resume(services, lead, {}, { actor })).outcome === 'done')
      ledger.lead(id, 'resume')
  }

  /** Answers the person of a lead, if they wrote back and wait: by email where that may arrive, or by a call. */
  async answer(
    id: number,
    how: { byEmail: boolean; token: string; mayWrite: (email: string) => boolean },
  ): Promise<void> {
    const { services, store, ledger, time } = this.#deps
    const lead = await this.#lead(id)
    if (lead === undefined || lead.unansweredSince === null) return
    const by = { actor, now: time.now }
    if (how.byEmail && how.mayWrite(lead.email ?? '')) {
      const message = { subject: 'Your question', text: 'Yes.', answers: undefined, reached: false }
      const written = await store.writeMessage(id, { ...message, token: how.token, dueAt: time.now, ...by })
      if (written.outcome !== 'done') return
      ledger.lead(id, 'attempted')
      ledger.lead(id, 'answered')
    } else if ((await recordCall(services, lead, { outcome: 'reached' }, { actor })).outcome === 'done')
      ledger.call(id, 'contacted')
  }

  /** Erases the person, who may have other leads, too. */
  async erase(lead: number): Promise<void> {
    const { store, ledger, time } = this.#deps
    const found = await store.readLead(lead)
    const email = found?.lead.email
    if (email == null) return
    const leads = await sql(this.#deps.database, `select id from leads where person_key = '${email.toLowerCase()}'`)
    const hash = addressHash(this.#deps.services.addressSecret, email)
    await store.erasePerson(email, { askedBy: 'the office', reason: 'asked', addressHash: hash, now: time.now })
    for (const { id } of leads) {
      ledger.erasedLeads.set(Number(id), ledger.moment())
      ledger.promises.endAll(Number(id))
    }
    ledger.address(email, 'erased')
  }

  /** Records a message as the reader of the mailbox does. */
  async recordInbound(lead: number, email: string, kind: 'reply' | 'complaint'): Promise<void> {
    const { store, time, services } = this.#deps
    const followUp = await store.readFollowUp(lead)
    const restart =
      followUp && restartOf(followUp.cadence, 'staff', time.now, services.calendar.hoursFor(followUp.lead))
    const reminders = kind === 'reply' && followUp && restart && { cadenceId: followUp.cadenceId, restart }
    const addressHashed = addressHash(this.#deps.services.addressSecret, email)
    const suppression = { addressHash: addressHashed, reason: 'complaint' as const }
    const effect = {
      leadId: lead,
      event: { kind, detail: 'Please call me in the evening.', tell: true, ...(reminders && { reminders }) },
      suppression: kind === 'complaint' ? suppression : null,
    }
    const inbound = { mailbox: MAILBOX, uidValidity: '1', uid: ++this.#messages, effect }
    await store.recordInbound(inbound, time.now)
  }

  /** Dismisses everything that is still quarantined. */
  async clearQuarantine(): Promise<void> {
    const { store, time } = this.#deps
    for (const { submission } of await store.listQuarantine({ state: 'held', limit: 1000 }))
      await store.dismissQuarantined(submission.id, { now: time.now })
  }
}

const day = (moment: number): string => localTime('America/New_York', moment).date
