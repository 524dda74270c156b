/** Records everything that the world has done, and from which step on it takes effect. */
import type { WorldTime } from './world-time.ts'

export type Moment = {
  tick: number
  /** The first step in which the replicas must take it into account. */
  from: number
  /** The time on the clocks. */
  at: number
  elapsed: number
}

export type LeadAct = Moment & {
  what: 'contacted' | 'attempted' | 'not a lead' | 'stage' | 'pause' | 'resume' | 'reply' | 'answered'
  /** The new stage, for `stage`. */
  stage?: string
  reason?: string | null
}

export type AddressAct = Moment & { what: 'unsubscribed' | 'not me' | 'complaint' | 'erased' }

export type Absence = { counselor: string; firstDay: string; lastDay: string; from: number; to: number }

export class Ledger {
  /** True while replicas work: then an act may come too late for the work they have begun. */
  during = false
  readonly leads = new Map<number, LeadAct[]>()
  readonly addresses = new Map<string, AddressAct[]>()
  readonly erasedLeads = new Map<number, Moment>()
  /** By person and copy. */
  readonly accepted = new Map<string, Moment>()
  /** By submission. */
  readonly released = new Map<number, Moment>()
  readonly absences: Absence[] = []
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

  lead(id: number, what: LeadAct['what'], more: Pick<LeadAct, 'stage' | 'reason'> = {}): void {
    const acts = this.leads.get(id) ?? []
    this.leads.set(id, [...acts, { what, ...this.moment(), ...more }])
    this.count(what)
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
