/**
 * Group commit: what arrives together shares one transaction, and whatever arrives while it is under
 * way is the next. Waiting by the clock would only make it slower.
 */

/** So that one commit stays short. */
const LARGEST_BATCH = 500

/** How many turns of the event loop a batch may grow before it is sent on its way. */
const MOST_TURNS = 4

/** Arrivals are counted over so long, in milliseconds, to tell a rush from a quiet moment. */
const WINDOW = 100

/** How long work in the background rests for each arrival of a window, in milliseconds, and at most. */
const REST_PER_ARRIVAL = 2
const LONGEST_REST = 500

/**
 * The store cannot say that a submission was kept. It may have been: a retry with the same key
 * finds out.
 */
export class StoreUnavailable extends Error {
  override name = 'StoreUnavailable'
}

type Waiting<Arrival, Outcome> = { arrival: Arrival; since: number } & PromiseWithResolvers<Outcome>

type Batch<Arrival, Outcome> = { members: Waiting<Arrival, Outcome>[]; since: number }

export type GroupCommitOptions = {
  /** Who waits longer than this, in milliseconds, is told to come back. */
  patience: number
  /** How many batches may be under way at a time. */
  streams: number
}

export class GroupCommit<Arrival, Outcome> {
  readonly #write: (batch: Arrival[]) => Promise<Outcome[]>
  readonly #options: GroupCommitOptions
  readonly #underWay = new Set<Batch<Arrival, Outcome>>()
  #queue: Waiting<Arrival, Outcome>[] = []
  #gathering = false
  #idle = Promise.withResolvers<void>()
  #arrivals = { since: 0, before: 0, now: 0 }

  /**
   * `write` stores a batch and tells what became of each, in order; where it throws, any of them
   * may be stored.
   */
  constructor(write: (batch: Arrival[]) => Promise<Outcome[]>, options: GroupCommitOptions) {
    this.#write = write
    this.#options = options
    this.#idle.resolve()
  }

  /** Queues one arrival. Throws StoreUnavailable when it was not known to be stored in time. */
  add(arrival: Arrival): Promise<Outcome> {
    const waiting: Waiting<Arrival, Outcome> = {
      arrival,
      since: performance.now(),
      ...Promise.withResolvers(),
    }
    if (this.#isIdle()) this.#idle = Promise.withResolvers()
    this.#queue.push(waiting)
    this.#next()
    return waiting.promise
  }

  /** How many arrivals wait, and for how long the oldest batch under way has, in milliseconds. */
  pressure(): { waiting: number; stalledFor: number } {
    let waiting = this.#queue.length
    let since = performance.now()
    for (const batch of this.#underWay) {
      waiting += batch.members.length
      since = Math.min(since, batch.since)
    }
    return { waiting, stalledFor: performance.now() - since }
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

  #isIdle(): boolean {
    return this.#queue.length === 0 && this.#underWay.size === 0 && !this.#gathering
  }

  /** Sends the next batch on its way, unless there is none or as many as may be are. */
  async #next(): Promise<void> {
    const full = this.#underWay.size >= this.#options.streams
    if (this.#gathering || full || this.#queue.length === 0) return
    this.#gathering = true
    // The whole turn of the event loop joins the batch, not the first request of it.
    await new Promise(resolve => setImmediate(resolve))
    await this.#gather()
    this.#gathering = false
    const batch = { members: this.#queue.splice(0, LARGEST_BATCH), since: performance.now() }
    this.#countArrivals(batch.members.length)
    this.#underWay.add(batch)
    this.#next()
    await this.#carryOut(batch)
    this.#underWay.delete(batch)
    if (this.#isIdle()) this.#idle.resolve()
    else this.#next()
  }

  /** As long as each turn of the event loop brings more, one more turn is worth the larger batch. */
  async #gather(): Promise<void> {
    for (let before = 0, turns = 0; this.#queue.length > before && turns < MOST_TURNS; turns++) {
      before = this.#queue.length
      await new Promise(resolve => setImmediate(resolve))
    }
  }

  async #carryOut({ members, since }: Batch<Arrival, Outcome>): Promise<void> {
    // The first of the batch may have waited for the batch before.
    const waited = since - (members[0]?.since ?? since)
    const patience = setTimeout(() => this.#giveUp(members), this.#options.patience - waited)
    try {
      const outcomes = await this.#write(members.map(waiting => waiting.arrival))
      for (const [i, waiting] of members.entries()) waiting.resolve(outcomes[i] as Outcome)
    } catch (error) {
      const unavailable = new StoreUnavailable('The batch could not be stored', { cause: error })
      for (const waiting of members) waiting.reject(unavailable)
    } finally {
      clearTimeout(patience)
    }
  }

  /** Nobody waits for ever: not those of the stalled batch, nor those behind it. */
  #giveUp(members: Waiting<Arrival, Outcome>[]) {
    const unavailable = new StoreUnavailable('The database has not answered in time')
    for (const waiting of [...members, ...this.#queue]) waiting.reject(unavailable)
    this.#queue = []
  }
}
