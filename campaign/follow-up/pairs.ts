/**
 * People of a simulated month who have two leads, under two addresses: the staff merge these, and sometimes separate
 * them again, with whatever is open for either. Some of these people are erased.
 */
import { enter } from '../../src/http/entered-inquiry.ts'
import { merge } from '../../src/lead-actions/merge.ts'
import { recordCall } from '../../src/lead-actions/record-call.ts'
import type { Services } from '../../src/lead-actions/services.ts'
import { unmerge } from '../../src/lead-actions/unmerge.ts'
import { DAY, HOUR } from '../../src/platform/time.ts'
import { Random } from '../random.ts'
import type { Agenda } from './agenda.ts'
import type { Callers } from './callers.ts'
import { ZONES } from './hours.ts'
import type { Ledger } from './ledger.ts'
import type { Office } from './office.ts'
import { doubledAddress } from './people.ts'
import { LAST_NAME } from './school.ts'
import type { Moment, WorldTime } from './world-time.ts'

/** One of the two leads of a person, and when they wrote again under its address. */
export type Side = { email: string; lead: number; erased: Moment | undefined; wrote: Moment[] }

/** An email that someone wrote to them. It goes to the lead that is kept, if it was not sent before the merge. */
export type Written = { entry: number; dueAt: number; made: Moment; lead: number }

export type Pair = {
  n: number
  state: string
  sides: Side[]
  /** The leads that are kept and merged into it, until they are separated. */
  merged: { kept: Side; other: Side; at: Moment; until: Moment | undefined } | undefined
  /** When someone reached the person by a lead of theirs. */
  reached: (Moment & { lead: number })[]
  written: Written[]
}

type PairServices = {
  seed: number
  time: WorldTime
  ledger: Ledger
  agenda: Agenda
  services: Services
  office: Office
  callers: Callers
  count: number
}

const by = { actor: 'operator' }

/** The last day on which such a person calls, so that their follow-up ends within the month. */
const LAST_DAY = 24

export class Pairs {
  readonly all: Pair[] = []
  readonly #deps: PairServices

  constructor(deps: PairServices) {
    this.#deps = deps
  }

  pairOf(lead: number): Pair | undefined {
    return this.all.find(({ sides }) => sides.some(one => one.lead === lead))
  }

  /** Whether they may get emails. */
  isOne(address: string): boolean {
    return this.all.some(({ sides }) => sides.some(({ email }) => email === address))
  }

  plan(): void {
    const { seed, agenda, count } = this.#deps
    for (let n = 0; n < count; n++) {
      const random = new Random(seed, `pair ${n}`)
      const state = random.pick(Object.keys(ZONES))
      const pair: Pair = { n, state, sides: [], merged: undefined, reached: [], written: [] }
      this.all.push(pair)
      const begin = random.between(0, LAST_DAY) * DAY
      agenda.addEarly(begin, () => this.#enter(pair, 0))
      agenda.addEarly(begin + random.between(0, 2) * DAY, () => this.#enter(pair, 1))
      this.#planActs(pair, begin + 2.3 * DAY, random)
    }
  }

  /** `known`: when both leads exist. */
  #planActs(pair: Pair, known: number, random: Random) {
    const { agenda, callers, office } = this.#deps
    const at = (days: number, act: () => Promise<unknown>) =>
      void agenda.addEarly(known + days * DAY, async () => void (await act()))
    // Nothing stands in the way of some when they are merged: someone must be reminded of them.
    if (pair.n % 4 === 1) return at(random.between(0.1, 2), () => this.#merge(pair, 0, 1))
    for (const i of [0, 1]) {
      const lead = () => pair.sides[i]?.lead ?? 0
      if (random.chance(0.7)) at(random.between(0, 0.1), () => callers.promise(lead()))
      if (random.chance(0.3)) at(random.between(0.1, 1), () => office.pause(lead()))
      if (random.chance(0.5)) at(random.between(0, 3), () => this.#write(pair, lead(), random))
      at(4, () => office.resume(lead()))
    }
    const merging = random.between(0.1, 2)
    const [kept, other] = random.chance(0.5) ? [0, 1] : [1, 0]
    at(merging, () => this.#merge(pair, kept, other))
    if (random.chance(0.5)) at(merging + random.between(0.1, 5), () => this.#unmerge(pair))
    // Some are separated again within hours, with a callback that came with the lead that was merged.
    if (pair.n % 4 === 0) {
      at(merging - 0.02, () => callers.promise(pair.sides[other]?.lead ?? 0))
      at(merging + 0.05, () => this.#unmerge(pair))
    }
    // Some write again, under either address, and wait until someone reaches them.
    const again = merging + random.between(0.05, 4)
    if (pair.n % 4 === 3) {
      at(again, () => this.#writeAgain(pair, random.pick([0, 1])))
      at(again + random.between(0.5, 9), () => this.#reach(pair))
      if (pair.n % 8 === 3) at(again + random.between(0.2, 1), () => this.#unmerge(pair))
    }
    if (random.chance(0.5)) at(random.between(3, 9), () => this.#reach(pair))
    if (random.chance(0.2)) at(random.between(0.2, 4), () => this.#erase(pair))
    // Some are erased just after they were promised a call.
    if (pair.n % 4 !== 2) return
    const erased = random.between(0.11, 3)
    at(erased, () => callers.promise(pair.sides[0]?.lead ?? 0))
    at(erased + 0.01, () => this.#erase(pair))
  }

  async #enter({ n, state, sides }: Pair, side: number): Promise<void> {
    const { office, ledger, time } = this.#deps
    const email = doubledAddress(n, side)
    const entered = { by: by.actor, name: by.actor, mayWrite: true, reached: false }
    const phone = phoneOf({ n }, side)
    const values = { firstName: 'Mia', lastName: `${LAST_NAME} Doubled`, email, phone, state }
    const more = { language: 'en', cameFrom: '', nonce: `pair ${n} ${side}`, clientAddress: '127.0.0.1' }
    const { outcome } = await enter(office.intake(), { kind: 'student', values, entered, ...more }, time.now)
    if (outcome !== 'accepted') ledger.violations.push(`${email} could not be entered: ${outcome}`)
    ledger.count('people with two leads')
    sides.push({ email, lead: 0, erased: undefined, wrote: [] })
  }

  /** Learns the numbers of leads that were filed since, from a table that others read. */
  learn(leads: ReadonlyMap<string, number>): void {
    for (const side of this.all.flatMap(({ sides }) => sides))
      if (side.lead === 0) side.lead = leads.get(side.email) ?? 0
  }

  async #merge(pair: Pair, keptSide: number, otherSide: number): Promise<void> {
    const { services, ledger } = this.#deps
    const [kept, other] = [pair.sides[keptSide], pair.sides[otherSide]]
    if (kept === undefined || other === undefined || kept.erased || other.erased) return
    const [one, two] = [await services.store.findLead(kept.lead), await services.store.findLead(other.lead)]
    if (one === undefined || two === undefined) return void ledger.violations.push(`a lead of pair ${pair.n} is lost`)
    const { outcome } = await merge(services, one, { other: two }, by)
    // An open lead is not merged into one that is closed.
    if (outcome === 'refused' && one.stage === 'closed') return
    if (outcome !== 'done') return void ledger.violations.push(`pair ${pair.n} could not be merged: ${outcome}`)
    pair.merged = { kept, other, at: ledger.moment(), until: undefined }
    ledger.promises.merge({ from: other.lead, to: kept.lead })
    ledger.count('merged')
  }

  async #unmerge(pair: Pair): Promise<void> {
    const { services, ledger } = this.#deps
    const { merged } = pair
    if (merged === undefined || merged.until !== undefined || merged.kept.erased) return
    const lead = await services.store.findLead(merged.kept.lead)
    if (lead === undefined) return void ledger.violations.push(`the kept lead of pair ${pair.n} is lost`)
    const { outcome } = await unmerge(services, lead, { other: merged.other.lead }, by)
    if (outcome !== 'done') return void ledger.violations.push(`pair ${pair.n} could not be separated: ${outcome}`)
    merged.until = ledger.moment()
    const back = ledger.promises.unmerge({ from: merged.kept.lead, to: merged.other.lead })
    ledger.count('separated again')
    if (back > 0) ledger.count('separated again, with a callback')
  }

  /** The person writes under the address of one of their leads, whether that was merged or not. */
  async #writeAgain(pair: Pair, n: number): Promise<void> {
    const { ledger, office } = this.#deps
    const side = pair.sides[n]
    if (side === undefined || pair.sides.some(({ erased }) => erased)) return
    const body = { firstName: 'Mia', lastName: `${LAST_NAME} Doubled`, email: side.email, phone: phoneOf(pair, n) }
    if (!(await office.receiveAgain(body, `pair ${pair.n} again`)))
      ledger.violations.push(`what ${side.email} wrote again was not accepted`)
    side.wrote.push(ledger.moment())
    ledger.count(pair.merged === undefined ? 'wrote again before a merge' : 'wrote again after a merge')
  }

  /** Someone reaches the person, by each lead that they have then. */
  async #reach(pair: Pair): Promise<void> {
    const { services, ledger } = this.#deps
    const { merged } = pair
    for (const side of pair.sides) {
      if (side.erased || (merged?.other === side && merged.until === undefined)) continue
      const lead = await services.store.findLead(side.lead)
      if (lead === undefined) return void ledger.violations.push(`lead ${side.lead} of pair ${pair.n} is lost`)
      const { outcome } = await recordCall(services, lead, { outcome: 'reached' }, by)
      if (outcome !== 'done') continue
      pair.reached.push({ lead: side.lead, ...ledger.moment() })
      ledger.call(side.lead, 'contacted')
    }
  }

  /** Someone writes to the person: at once, or for a later day. */
  async #write(pair: Pair, to: number, random: Random): Promise<void> {
    const { services, ledger, time } = this.#deps
    const dueAt = time.now + Math.round(random.chance(0.5) ? 0 : random.between(1, 40) * HOUR)
    const message = { subject: 'Your visit', text: 'See you.', answers: undefined, reached: false, dueAt }
    const token = `pair ${pair.n} ${to}`
    const written = await services.store.writeMessage(to, { ...message, token, actor: by.actor, now: time.now })
    if (written.outcome !== 'done') return
    pair.written.push({ entry: written.entry, dueAt, made: ledger.moment(), lead: written.lead.id })
    ledger.lead(written.lead.id, 'answered')
    ledger.count('emails that someone wrote')
  }

  async #erase(pair: Pair): Promise<void> {
    const { ledger, office } = this.#deps
    const [first] = pair.sides
    if (first === undefined || first.erased) return
    await office.erase(first.lead)
    const whole = pair.merged !== undefined && pair.merged.until === undefined
    for (const side of whole ? pair.sides : [first]) {
      side.erased = ledger.moment()
      ledger.erasedLeads.set(side.lead, side.erased)
      ledger.promises.endAll(side.lead)
    }
  }
}

const phoneOf = ({ n }: Pick<Pair, 'n'>, side: number): string => `512-4${side}0-${String(n).padStart(4, '0')}`
