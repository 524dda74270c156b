/**
 * Group commit: what arrives together shares one transaction. One batch is under way at a time;
 * whatever arrives meanwhile is the next. Waiting by the clock would only make it slower.
 */
import { StoreUnavailable } from './store-unavailable.ts'

/** So that one commit stays short. */
const LARGEST_BATCH = 500

/** Arrivals are counted over so long, in milliseconds, to tell a rush from a quiet moment. */
const WINDOW = 100

/** How long work in the background rests for each arrival of a window, in milliseconds, and at most. */
const REST_PER_ARRIVAL = 2
const LONGEST_REST = 500

type Waiting<Arrival, Outcome> = { arrival: Arrival; since: number } & PromiseWithResolvers<Outcome>

type Terms = {
  /** Who waits longer than this, in milliseconds, is told to come back. */
  patience: number
  /**
   * For how many more turns of the event loop a batch may grow, as long as each brings more: worth it
   * where the writing takes the same core.
   */
  turns: number
}

export class Batcher<Arrival, Outcome> {
  readonly #write: (batch: Arrival[]) => Promise<Outcome[]>
  readonly #terms: Terms
  #queue: Waiting<Arrival, Outcome>[] = []
  #underWay: Waiting<Arrival, Outcome>[] = []
  #idle = Promise.withResolvers<void>()
  #since = 0
  #arrivals = { since: 0, before: 0, now: 0 }

  /**
   * `write` stores a batch and tells what became of each, in order; where it throws, any of them
   * may be stored.
   */
  constructor(write: (batch: Arrival[]) => Promise<Outcome[]>, terms: Terms) {
    this.#write = write
    this.#terms = terms
    this.#idle.resolve()
  }

  /** Queues one arrival. Throws StoreUnavailable when it was not known to be stored in time. */
  add(arrival: Arrival): Promise<Outcome> {
    const waiting: Waiting<Arrival, Outcome> = {
      arrival,
      since: performance.now(),
      ...Promise.withResolvers(),
    }
    this.#queue.push(waiting)
    // The whole turn of the event loop joins the batch, not the first request of it.
    if (this.#queue.length === 1 && this.#underWay.length === 0) {
      this.#idle = Promise.withResolvers()
      setImmediate(() => this.#flush())
    }
    return waiting.promise
  }

  /** How many arrivals wait, and for how long the batch under way has, in milliseconds. */
  pressure(): { waiting: number; stalledFor: number } {
    const busy = this.#underWay.length > 0
    return {
      waiting: this.#queue.length + this.#underWay.length,
      stalledFor: busy ? performance.now() - this.#since : 0,
    }
  }

  /**
   * For how long work in the background should rest now, in milliseconds: longer the more comes in,
   * 0 in a quiet moment.
   */
  courtesy(): number {
    this.#countArrivals(0)
    const { before, now } = this.#arrivals
    return Math.min(LONGEST_REST, REST_PER_ARRIVAL * Math.max(before, now))
  }

  /** Adds to the count of this window; one that is over becomes the one before. */
  #countArrivals(count: number): void {
    const elapsed = performance.now() - this.#arrivals.since
    if (elapsed > WINDOW) {
      const before = elapsed > 2 * WINDOW ? 0 : this.#arrivals.now
      this.#arrivals = { since: performance.now(), before, now: 0 }
    }
    this.#arrivals.now += count
  }

  /** Resolves once nothing waits. */
  idle(): Promise<void> {
    return this.#idle.promise
  }

  async #flush(): Promise<void> {
    while (this.#queue.length > 0) {
      await this.#gather()
      const batch = this.#queue.splice(0, LARGEST_BATCH)
      this.#since = performance.now()
      this.#countArrivals(batch.length)
      this.#underWay = batch
      // The first of the batch may have waited for the batch before.
      const waited = this.#since - (batch[0]?.since ?? this.#since)
      const left = Math.max(0, this.#terms.patience - waited)
      const patience = setTimeout(() => this.#giveUp(), left)
      try {
        const outcomes = await this.#write(batch.map(waiting => waiting.arrival))
        for (const [i, waiting] of batch.entries()) waiting.resolve(outcomes[i] as Outcome)
      } catch (error) {
        const unavailable = new StoreUnavailable('The batch could not be stored', { cause: error })
        for (const waiting of batch) waiting.reject(unavailable)
      } finally {
        clearTimeout(patience)
        this.#underWay = []
      }
    }
    this.#idle.resolve()
  }

  async #gather(): Promise<void> {
    const { turns } = this.#terms
    for (let before = 0, turn = 0; this.#queue.length > before && turn < turns; turn++) {
      before = this.#queue.length
      await new Promise(resolve => setImmediate(resolve))
    }
  }

  /** Nobody waits for ever: not those of the stalled batch, nor those behind it. */
  #giveUp() {
    const unavailable = new StoreUnavailable('The database has not answered in time')
    for (const waiting of [...this.#underWay, ...this.#queue]) waiting.reject(unavailable)
    this.#queue = []
  }
}
