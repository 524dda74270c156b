/**
 * The callbacks that the staff have promised in a simulated month, and what became of each: what the service must know
 * of them, by rules of its own.
 */
import { MINUTE } from '../../src/platform/time.ts'
import type { Moment } from './world-time.ts'

/** What the ledger takes down of leads. */
type Acts = { moment(): Moment; lead(id: number, what: 'pause' | 'resume'): unknown }

export type PromisedCall = {
  lead: number
  /** The entry of the timeline that its emails are about. Moving a callback makes another one. */
  entry: number
  dueAt: number
  /** Who is to call: by name, or null for the counselor of the lead. */
  assignee: string | null
  /** The same before the lead changed hands, if it did. */
  assigneeBefore?: string | null
  /** The lead that was merged into this one, and had it before. */
  mergedFrom?: number | undefined
  /** Whether it has paused the follow-up. */
  pauses: boolean
  made: Moment
  /** When someone recorded what came of it, moved it or took it back. */
  ended: Moment | undefined
  /**
   * The steps in which someone ended it, even if they took that back. The replicas may have sent emails about it at the
   * same time.
   */
  endedDuring: number[]
}

/** A call so long before a callback counts as that callback, in milliseconds. */
const EARLY = 30 * MINUTE

export class Promises {
  readonly all: PromisedCall[] = []
  readonly #ledger: Acts

  constructor(ledger: Acts) {
    this.#ledger = ledger
  }

  open(lead: number): PromisedCall[] {
    return this.all.filter(one => one.lead === lead && one.ended === undefined)
  }

  /** The one that an email is about. */
  about(entry: number): PromisedCall | undefined {
    return this.all.find(one => one.entry === entry)
  }

  /** `waits`: whether the lead is new and its follow-up under way, which then pauses. */
  add(one: Pick<PromisedCall, 'lead' | 'entry' | 'dueAt' | 'assignee'>, { waits }: { waits: boolean }): PromisedCall {
    const pauses = waits || this.open(one.lead).some(other => other.pauses)
    const added = { ...one, pauses, made: this.#ledger.moment(), ended: undefined, endedDuring: [] }
    this.all.push(added)
    if (waits) this.#ledger.lead(one.lead, 'pause')
    return added
  }

  /** Another moment for a callback that is open. */
  move(moved: PromisedCall, to: Pick<PromisedCall, 'entry' | 'dueAt' | 'assignee'>): PromisedCall {
    this.#endOne(moved)
    const added = { ...moved, ...to, made: this.#ledger.moment(), ended: undefined, endedDuring: [] }
    this.all.push(added)
    return added
  }

  /** Someone took that back. */
  moveBack(moved: PromisedCall, to: PromisedCall): void {
    moved.ended = undefined
    this.#endOne(to)
  }

  /** Ends those that a call at this moment was about, and returns them. */
  called(lead: number): PromisedCall[] {
    const { at } = this.#ledger.moment()
    return this.#end(this.open(lead).filter(({ dueAt }) => dueAt <= at + EARLY))
  }

  endAll(lead: number): void {
    this.#end(this.open(lead))
  }

  end(one: PromisedCall): void {
    this.#end([one])
  }

  #end(some: PromisedCall[]) {
    for (const one of some) this.#endOne(one)
    const [first] = some
    if (first === undefined || this.open(first.lead).some(({ pauses }) => pauses)) return some
    if (some.some(({ pauses }) => pauses)) this.#ledger.lead(first.lead, 'resume')
    return some
  }

  #endOne(one: PromisedCall) {
    const ended = this.#ledger.moment()
    one.ended = ended
    if (ended.from > ended.tick) one.endedDuring.push(ended.tick)
  }

  /** Someone took back that these have ended. `waits` as for a new one. */
  reopen(some: readonly PromisedCall[], { waits }: { waits: boolean }): void {
    for (const one of some) one.ended = undefined
    const [first] = some.filter(({ pauses }) => pauses)
    if (first !== undefined && waits) this.#ledger.lead(first.lead, 'pause')
  }

  /** A lead was merged into another: what was promised goes with it. */
  merge({ from, to }: { from: number; to: number }): void {
    for (const one of this.open(from)) {
      one.lead = to
      one.mergedFrom = from
    }
  }

  /** They are two again: what came with the merge goes back. Returns how many that were. */
  unmerge({ from, to }: { from: number; to: number }): number {
    const back = this.open(from).filter(one => one.mergedFrom === to)
    for (const one of back) one.lead = to
    return back.length
  }

  /** The follow-up of a lead was resumed by hand, so the end of its callbacks changes nothing. */
  resumed(lead: number): void {
    for (const one of this.open(lead)) one.pauses = false
  }

  /** A lead has changed hands: what either of the two promised is now the new counselor's. */
  handOn(lead: number, owners: readonly (string | null)[]): void {
    for (const one of this.open(lead)) {
      if (one.assignee === null || !owners.includes(one.assignee)) continue
      one.assigneeBefore = one.assignee
      one.assignee = null
    }
  }
}
