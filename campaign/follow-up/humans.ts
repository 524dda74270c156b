/**
 * The people who get our mail, and what they do with it: the staff uses the signed links, and students
 * unsubscribe, reply and complain. They act only on what the messages say, after a while.
 */

import { DAY, HOUR, MINUTE } from '../../src/platform/time.ts'
import type { Store } from '../../src/store/store.ts'
import { Random } from '../random.ts'
import type { Agenda } from './agenda.ts'
import type { Callers } from './callers.ts'
import type { Ledger } from './ledger.ts'
import { linkOf, linksOf, type Mail } from './mail.ts'
import type { Office } from './office.ts'
import { type Person, readAbout, readPerson } from './people.ts'
import type { ScheduledEmails } from './scheduled-emails.ts'
import { COUNSELORS, isStaff } from './school.ts'
import type { Web } from './web.ts'
import type { WorldTime } from './world-time.ts'

type PeopleServices = {
  seed: number
  time: WorldTime
  people: Person[]
  agenda: Agenda
  ledger: Ledger
  web: Web
  store: Store
  office: Office
  callers: Callers
  scheduled: ScheduledEmails
  /** Whether the people of a lead are looked after by others: those on lists, and those with two leads. */
  isOthers: (lead: number) => boolean
}

const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' }

/** The share of messages whose links a mail filter opens before anyone reads them. */
const FILTERED = 0.03

/** The share of leads to whose people someone promises a call. */
const CALLED_BACK = 0.15

export class Humans {
  readonly #deps: PeopleServices
  readonly #leadsOf = new Map<number, number>()
  readonly #known = new Set<number>()
  readonly #read = new Map<number, number>()
  readonly #answering = new Map<number, number>()

  /** The leads that someone has assigned by hand: the links of their owner before end with that. */
  readonly #assigned = new Set<number>()

  constructor(deps: PeopleServices) {
    this.#deps = deps
  }

  /** A message has arrived in someone's mailbox. */
  read(mail: Mail): void {
    if (this.#random(`filter ${mail.id}`).chance(FILTERED)) this.#filter(mail)
    if (mail.kind === 'digest') this.#readDigest(mail)
    else if (isStaff(mail.to)) this.#readAsStaff(mail)
    else this.#readAsStudent(mail)
  }

  /** Opens every link, which must not change anything. */
  #filter(mail: Mail) {
    const { agenda, time, web, ledger } = this.#deps
    for (const link of linksOf(mail)) {
      agenda.add(time.elapsed, async () => {
        ledger.count('links opened by filters')
        const status = await web.press(link, { method: 'GET' })
        this.#expect(status, this.#isOver(mail) ? [200, 403, 404, 410] : [200, 404, 410], link)
      })
    }
  }

  /**
   * Whether its reader may have nothing to do with the lead any more: a colleague who had promised a call that someone
   * has made, or that is over.
   */
  #isOver({ kind, subject }: Mail): boolean {
    return kind === 'news' && this.#deps.ledger.promises.about(subject)?.ended !== undefined
  }

  #readAsStaff(mail: Mail) {
    const { time, agenda, office, callers, people, scheduled, isOthers } = this.#deps
    // A link is opaque to people, but here it identifies the lead.
    const lead = Number.parseInt(/\/act\/c([0-9a-z]+)\./.exec(mail.text)?.[1] ?? '', 36)
    if (isOthers(lead)) return
    const n = readAbout(mail.text)
    for (const [, link = '', id = ''] of mail.text.matchAll(/<(http[^>]+\/act\/w([0-9a-z]+)\.[^>]+)>/g))
      this.#planAnswer(mail, link, Number.parseInt(id, 36))
    if (mail.kind === 'news' && !Number.isNaN(lead)) this.#readReminder(mail, lead)
    if (n === undefined || Number.isNaN(lead) || this.#known.has(lead)) return
    const ordinal = this.#leadsOf.get(n) ?? 0
    const random = this.#random(`staff ${n} ${ordinal}`)
    // Some people react only to reminders.
    if (mail.kind === 'notify' && random.chance(0.25)) return
    this.#known.add(lead)
    this.#leadsOf.set(n, ordinal + 1)
    const person = people[n]
    if (person?.kind === 'student' && !person.phoneOnly && this.#mayWrite(person.email))
      scheduled.know(lead, person.email)
    const after = (delay: number, plan: () => Promise<void>) => agenda.add(time.elapsed + delay, plan)

    if (random.chance(0.04)) after(random.between(1, 60) * MINUTE, () => this.#assign(mail, lead))
    const called = someTime(random)
    if (random.chance(0.25)) after(called * random.next(), () => this.#act(mail, lead, 'No answer'))
    const dice = random.next()
    if (dice < 0.5) after(called, () => this.#act(mail, lead, 'I reached them'))
    else if (dice < 0.53) after(called, () => this.#act(mail, lead, 'Not a lead'))
    else if (dice < 0.55) {
      after(called, () => office.close(lead))
      if (random.chance(0.8)) after(called + random.between(0.1, 3) * DAY, () => this.#changeTheirMind(n, lead))
    } else if (dice < 0.59) {
      after(random.between(0, 6) * DAY, () => office.pause(lead))
      after(random.between(6.1, 11) * DAY, () => office.resume(lead))
    } else if (dice < 0.6) after(random.between(0, 12) * DAY, () => office.erase(lead))
    if (dice < 0.1) after(called + random.between(1, 9) * DAY, () => office.advance(lead))
    if (random.chance(0.02)) after(random.between(0, 5) * DAY, () => callers.promisedByFormer(lead))
    if (!random.chance(CALLED_BACK)) return
    const promised = random.between(0, 3) * HOUR
    after(promised, () => callers.promise(lead))
    if (this.#random(`resumed ${n}`).chance(0.2)) after(promised + 5 * MINUTE, () => callers.resumeAnyway(lead))
    if (random.chance(0.3)) after(random.between(0, 5) * DAY, () => callers.promise(lead))
  }

  /** An email may be about a callback: some call at once and say so by its links. */
  #readReminder(mail: Mail, lead: number) {
    const { time, agenda, ledger } = this.#deps
    if (ledger.promises.about(mail.subject) === undefined) return
    const random = this.#random(`reminder ${mail.subject} ${mail.step}`)
    if (!random.chance(0.2)) return
    const label = random.chance(0.4) ? 'I reached them' : 'No answer'
    agenda.add(time.elapsed + random.between(2, 40) * MINUTE, async () => {
      // Once the callback has ended, its links may be those of a colleague who has nothing to do with the lead.
      if (ledger.promises.about(mail.subject)?.ended === undefined) await this.#act(mail, lead, label)
    })
  }

  /** A message says that the person of a lead wrote back, with a link that says that no answer is needed. */
  #planAnswer(mail: Mail, link: string, lead: number) {
    const { agenda, time, office, scheduled } = this.#deps
    const mayWrite = (email: string) => this.#mayWrite(email)
    const ordinal = (this.#answering.get(lead) ?? 0) + 1
    this.#answering.set(lead, ordinal)
    const random = this.#random(`answer ${lead} ${ordinal}`)
    // Some people react only to a later reminder.
    if (ordinal % 4 !== 0 && random.chance(0.3)) return
    const answer = random.chance(0.3)
      ? () => this.#needNoAnswer(mail, link, lead)
      : () => office.answer(lead, { byEmail: random.chance(0.5), token: `${lead} ${ordinal}`, mayWrite })
    agenda.add(time.elapsed + someTime(random), async () => {
      // Most leave it to the colleague who has written already, and look again some days after that.
      const wait = scheduled.waitsFor(lead)
      if (wait === undefined || random.chance(0.2)) await answer()
      else agenda.add(time.elapsed + wait + random.between(2, 5) * DAY, answer)
    })
  }

  /** Whether an email from the staff would arrive: the person has not asked us to stop, and never will. */
  #mayWrite(email: string): boolean {
    const { unknown = true, wish } = this.#deps.people[readPerson(email) ?? -1] ?? {}
    return !unknown && (wish === undefined || wish.what === 'reply')
  }

  async #needNoAnswer(mail: Mail, link: string, lead: number) {
    const { web, ledger } = this.#deps
    const status = await web.press(link, { method: 'POST', headers: FORM })
    const expected = this.#isOver(mail) ? [200, 403, 404] : [200, 404]
    if (this.#expect(status, expected, link) && this.#reached(status, lead)) ledger.lead(lead, 'answered')
  }

  async #act(mail: Mail, lead: number, label: string) {
    const { web, ledger } = this.#deps
    const link = linkOf(mail, label)
    if (link === undefined) return void ledger.violations.push(`${mail.id} lacks the link ${label}`)
    const status = await web.press(link, { method: 'POST', headers: FORM })
    if (!this.#expect(status, [200, 404], link) || !this.#reached(status, lead)) return
    if (label === 'Not a lead') ledger.lead(lead, 'not a lead')
    else ledger.call(lead, label === 'I reached them' ? 'contacted' : 'attempted')
  }

  /** The reader of any message may hand the lead over. */
  async #assign(mail: Mail, lead: number) {
    const { web, ledger, seed, store } = this.#deps
    const link = linkOf(mail, 'Assign')
    if (link === undefined) return
    const { id } = new Random(seed, `assign ${lead}`).pick(COUNSELORS)
    const options = { method: 'POST' as const, headers: FORM, body: `counselor=${id}` }
    // Before the response, which a kill may take: the same link, pressed again, is then of a former owner.
    this.#assigned.add(lead)
    const before = (await store.findLead(lead))?.owner ?? null
    const status = await web.press(link, options)
    if (!this.#expect(status, [200, 404], link) || !this.#reached(status, lead)) return
    ledger.count('assigned by hand')
    ledger.promises.handOn(lead, [before, id])
  }

  #readAsStudent(mail: Mail) {
    const { people, agenda, time, store, ledger } = this.#deps
    const person = people[readPerson(mail.to) ?? -1]
    // What someone at the school wrote has no links.
    if (person?.wish === undefined || mail.kind === 'message') return
    const read = (this.#read.get(person.n) ?? 0) + 1
    this.#read.set(person.n, read)
    const { what, afterMessages, delay } = person.wish
    if (read !== afterMessages) return
    agenda.add(time.elapsed + delay, async () => {
      if (what === 'reply' || what === 'complaint') return this.#writeBack(mail, person, what)
      const about = await store.findMessage(mail)
      const link = what === 'unsubscribe' ? mail.unsubscribe : linkOf(mail, "This wasn't me")
      if (link === undefined) return void ledger.violations.push(`${mail.id} has no link to unsubscribe`)
      await this.#confirm(link, what === 'unsubscribe' ? 'List-Unsubscribe=One-Click' : '')
      // The address of an erased lead is already suppressed.
      if (about === undefined) return
      ledger.address(person.email, what === 'unsubscribe' ? 'unsubscribed' : 'not me')
    })
  }

  async #confirm(link: string, body: string) {
    this.#expect(await this.#deps.web.press(link, { method: 'POST', headers: FORM, body }), [200], link)
  }

  /** A student replies to an earlier email, after their lead was closed. */
  async #changeTheirMind(n: number, lead: number) {
    const { people, store, ledger, office } = this.#deps
    const person = people[n]
    const isOpen = (await store.findLead(lead))?.stage !== 'closed'
    if (isOpen || person === undefined || person.kind === 'site' || person.phoneOnly || person.unknown) return
    await office.recordInbound(lead, person.email, 'reply')
    ledger.lead(lead, 'reply')
    ledger.count('replies after a lead was closed')
  }

  async #writeBack(mail: Mail, person: Person, what: 'reply' | 'complaint') {
    const { store, ledger, office } = this.#deps
    const leadId = (await store.findMessage(mail))?.leadId
    if (leadId == null) return
    await office.recordInbound(leadId, person.email, what)
    if (what === 'reply') ledger.lead(leadId, 'reply')
    else ledger.address(person.email, 'complaint')
  }

  /** Releases or dismisses most of the quarantined submissions. */
  #readDigest(mail: Mail) {
    const { agenda, time } = this.#deps
    for (const part of mail.text.split(/\bas\s+number\s+/).slice(1)) {
      const submission = Number.parseInt(part, 10)
      const random = this.#random(`digest ${mail.id} ${submission}`)
      const dice = random.next()
      if (dice > 0.7) continue
      const label = dice < 0.5 ? 'Release' : 'Dismiss'
      const link = linkOf({ text: part }, label)
      agenda.add(time.elapsed + random.between(0.1, 10) * HOUR, () => this.#decide(submission, label, String(link)))
    }
  }

  async #decide(submission: number, label: string, link: string) {
    const { ledger, web } = this.#deps
    const status = await web.press(link, { method: 'POST', headers: FORM })
    this.#expect(status, [200, 404], link)
    ledger.count(label)
    if (status === 200 && label === 'Release' && !ledger.released.has(submission))
      ledger.released.set(submission, ledger.moment())
  }

  /** Whether the lead still exists. Only an erased lead may be gone. */
  #reached(status: number, lead: number): boolean {
    const { ledger } = this.#deps
    if (status === 404 && !ledger.erasedLeads.has(lead))
      ledger.violations.push(`lead ${lead} does not exist although it was not erased`)
    return status === 200
  }

  #expect(status: number, expected: number[], link: string): boolean {
    if (expected.includes(status)) return true
    if (status === 403 && this.#assigned.has(Number.parseInt(/\/act\/\w([0-9a-z]+)\./.exec(link)?.[1] ?? '', 36))) {
      this.#deps.ledger.count('links of former owners that were pressed')
      return false
    }
    this.#deps.ledger.violations.push(`${link} returned ${status}`)
    return false
  }

  #random(purpose: string): Random {
    return new Random(this.#deps.seed, purpose)
  }
}

/** A delay in milliseconds: usually short, sometimes days. */
const someTime = (random: Random): number => {
  const dice = random.next()
  if (dice < 0.4) return random.between(2, 40) * MINUTE
  if (dice < 0.7) return random.between(1, 20) * HOUR
  return random.between(1, dice < 0.9 ? 4 : 10) * DAY
}
