/** Records everything that the world has done, and from which step on it takes effect. */
import { Promises } from './promises.ts'
import type { Moment, WorldTime } from './world-time.ts'

export type LeadAct = Moment & {
  what: 'contacted' | 'attempted' | 'not a lead' | 'stage' | 'pause' | 'resume' | 'reply' | 'answered'
  /** The new stage, for `stage`. */
  stage?: string
  reason?: string | null
  /** For an answer that was written before: when that was. It does not answer what the person has written since. */
  writtenAt?: number
  /** The step in which it turned out that it is not sent: since then, it is not an answer. */
  takenBack?: number
}

export type AddressAct = Moment & { what: 'unsubscribed' | 'not me' | 'complaint' | 'erased' }

export type Absence = { counselor: string; firstDay: string; lastDay: string; from: number; to: number }

export class Ledger {
  /** True while replicas work: then an act may come too late for the work they have begun. */
  during = false
  readonly leads = new Map<number, LeadAct[]>()
  /** Someone took back what they had done to these leads. */
  readonly takenBack = new Set<number>()
  readonly addresses = new Map<string, AddressAct[]>()
  readonly erasedLeads = new Map<number, Moment>()
  /** When the retention rules erased someone, by address or number. */
  readonly retained = new Map<string, Moment>()
  /** By person and copy. */
  readonly accepted = new Map<string, Moment>()
  /** By submission. */
  readonly released = new Map<number, Moment>()
  readonly absences: Absence[] = []
  readonly promises = new Promises(this)
  readonly counts = new Map<string, number>()
  readonly violations: string[] = []
  readonly #time: WorldTime

  constructor(time: WorldTime) {
    this.#time = time
  }

  moment(): Moment {
    const { tick, now, elapsed } = this.#time
    return { tick, from: this.during ? tick + 1 : tick, at: now, elapsed }
  }

  lead(id: number, what: LeadAct['what'], more: Pick<LeadAct, 'stage' | 'reason' | 'writtenAt'> = {}): LeadAct {
    const acts = this.leads.get(id) ?? []
    const act = { what, ...this.moment(), ...more }
    this.leads.set(id, [...acts, act])
    this.count(what)
    if (what === 'not a lead' || more.stage === 'closed') this.promises.endAll(id)
    if (what === 'resume') this.promises.resumed(id)
    return act
  }

  /** Someone recorded what came of a call, with which the callbacks that were due have ended. */
  call(id: number, what: 'contacted' | 'attempted'): void {
    this.lead(id, what)
    this.promises.called(id)
  }

  /** Takes back the last act of this kind, as if it had not happened. */
  takeBack(id: number, what: LeadAct['what']): void {
    this.takenBack.add(id)
    const acts = this.leads.get(id) ?? []
    const at = acts.findLastIndex(act => act.what === what)
    this.leads.set(id, acts.toSpliced(at, 1))
    this.count(`${what}, taken back`)
  }

  address(email: string, what: AddressAct['what']): void {
    const key = email.toLowerCase()
    this.addresses.set(key, [...(this.addresses.get(key) ?? []), { what, ...this.moment() }])
    this.count(what)
  }

  count(what: string): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + 1)
  }
}
