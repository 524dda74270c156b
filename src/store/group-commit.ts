/**
 * Group commit: acceptances that arrive together share one transaction. One batch is under way at a
 * time; whatever arrives meanwhile is the next. Waiting on purpose would only make it slower.
 */
import type { Arrival, Outcome } from './acceptance.ts'

/** So that one commit stays short. */
const LARGEST_BATCH = 500

/** Who waits longer than this for the disk is told to come back, in milliseconds. */
const PATIENCE = 10_000

/**
 * The store cannot say that a submission was kept. It may have been: a retry with the same key
 * finds out.
 */
export class StoreUnavailable extends Error {
  override name = 'StoreUnavailable'
}

type Waiting = { arrival: Arrival } & PromiseWithResolvers<Outcome>

export class GroupCommit {
  readonly #write: (batch: Arrival[]) => Promise<Outcome[]>
  readonly #clock: { now(): number }
  #queue: Waiting[] = []
  #underWay: Waiting[] = []
  #since = 0
  #idle = Promise.withResolvers<void>()

  /** `write` stores a batch, all or nothing, and tells what became of each, in order. */
  constructor(write: (batch: Arrival[]) => Promise<Outcome[]>, clock: { now(): number }) {
    this.#write = write
    this.#clock = clock
    this.#idle.resolve()
  }

  /** Queues one arrival. Throws StoreUnavailable when it was not known to be stored in time. */
  add(arrival: Arrival): Promise<Outcome> {
    const waiting = { arrival, ...Promise.withResolvers<Outcome>() }
    this.#queue.push(waiting)
    // The whole turn of the event loop joins the batch, not the first request of it.
    if (this.#queue.length === 1 && this.#underWay.length === 0) {
      this.#idle = Promise.withResolvers()
      setImmediate(() => this.#flush())
    }
    return waiting.promise
  }

  pressure(): { waiting: number; stalledFor: number } {
    const busy = this.#underWay.length > 0
    return {
      waiting: this.#queue.length + this.#underWay.length,
      stalledFor: busy ? Math.max(0, this.#clock.now() - this.#since) : 0,
    }
  }

  /** Resolves once nothing waits. */
  idle(): Promise<void> {
    return this.#idle.promise
  }

  async #flush(): Promise<void> {
    while (this.#queue.length > 0) {
      for (let before = 0, turns = 0; this.#queue.length > before && turns < 4; turns++) {
        before = this.#queue.length
        await new Promise(resolve => setImmediate(resolve))
      }
      const batch = this.#queue.splice(0, LARGEST_BATCH)
      this.#underWay = batch
      this.#since = this.#clock.now()
      const patience = setTimeout(() => this.#giveUp(), PATIENCE)
      try {
        const outcomes = await this.#write(batch.map(waiting => waiting.arrival))
        for (const [i, waiting] of batch.entries()) waiting.resolve(outcomes[i] as Outcome)
      } catch (error) {
        const unavailable = new StoreUnavailable('The batch could not be stored', { cause: error })
        for (const waiting of batch) waiting.reject(unavailable)
      } finally {
        clearTimeout(patience)
      }
    }
    this.#underWay = []
    this.#idle.resolve()
  }

  /** Nobody waits for ever: not those of the stalled batch, nor those behind it. */
  #giveUp() {
    const unavailable = new StoreUnavailable('The disk has not answered in time')
    for (const waiting of [...this.#underWay, ...this.#queue]) waiting.reject(unavailable)
    this.#queue = []
  }
}
