/**
 * Handles requests in batches: those that arrive together share one transaction. One batch is under way at a time; what
 * arrives meanwhile becomes the next batch. Waiting for a fixed time would only be slower.
 */
import { StoreUnavailable } from './store-unavailable.ts'

/** The most submissions in a batch. The limit keeps each transaction short. */
const LARGEST_BATCH = 500

/** Requests are counted over this time, in milliseconds, to tell a rush from an idle moment. */
const WINDOW = 100

/**
 * How long background work should pause, in milliseconds, when this many requests come in a window: with a few, hardly
 * at all; with 20, 20 ms; with 50, two seconds. With more than 20, background work could not keep up anyway, and it
 * would make requests wait.
 */
export const delayFor = (requests: number): number => Math.max(requests ** 2 / 20, requests ** 5 / 150_000)
const LONGEST_DELAY = 2000

/** If no more requests than this wait, that is not a reason to pause: on a slow disk, one nearly always waits. */
const FEW = 10

type QueuedRequest<Request, Result> = {
  request: Request
  since: number
  /** Whether one of the two callbacks was called: never both, and neither of them twice. */
  settled: boolean
  resolve: (result: Result) => void
  reject: (error: StoreUnavailable) => void
}

/** Marks a request as settled; undefined if it was before. */
function settle<Request, Result>(queued: QueuedRequest<Request, Result>): QueuedRequest<Request, Result> | undefined {
  if (queued.settled) return undefined
  queued.settled = true
  return queued
}

/** How many requests wait, and for how long, in milliseconds. */
export type Load = { waiting: number; waitedFor: number; stalledFor: number }

/** The load of several batchers as one. Every request asks for it. */
export function totalLoad(...batchers: readonly { load(now: number): Load }[]): Load {
  const now = performance.now()
  const total = { waiting: 0, waitedFor: 0, stalledFor: 0 }
  for (const batcher of batchers) {
    const { waiting, waitedFor, stalledFor } = batcher.load(now)
    total.waiting += waiting
    if (waitedFor > total.waitedFor) total.waitedFor = waitedFor
    if (stalledFor > total.stalledFor) total.stalledFor = stalledFor
  }
  return total
}

export type BatcherOptions = {
  /** A request that waits longer than this, in milliseconds, fails with StoreUnavailable. */
  timeout: number
  /**
   * How many more turns of the event loop a batch may grow, as long as each turn brings more requests. This pays where
   * handling a batch uses the same core.
   */
  turns: number
}

export class Batcher<Request, Result> {
  readonly #handle: (batch: Request[]) => Promise<Result[]>
  readonly #options: BatcherOptions
  #queue: QueuedRequest<Request, Result>[] = []
  #underWay: QueuedRequest<Request, Result>[] = []
  #idle = Promise.withResolvers<void>()
  #since = 0
  #counts = { since: 0, before: 0, now: 0 }

  /**
   * `handle` carries out a batch and returns the result of each request, in order; if it throws, any
   * of them may have been carried out.
   */
  constructor(handle: (batch: Request[]) => Promise<Result[]>, options: BatcherOptions) {
    this.#handle = handle
    this.#options = options
    this.#idle.resolve()
  }

  /** Queues one request. Throws StoreUnavailable when it failed or its result was not known in time. */
  add(request: Request): Promise<Result> {
    return new Promise((resolve, reject) => this.addWith(request, resolve, reject))
  }

  /** Does the same with callbacks: for many requests, a promise for each would cost more than the batch. */
  addWith(request: Request, resolve: (result: Result) => void, reject: (error: StoreUnavailable) => void): void {
    this.#queue.push({ request, since: performance.now(), settled: false, resolve, reject })
    // Everything from this turn of the event loop joins the batch, not only its first request.
    if (this.#queue.length === 1 && this.#underWay.length === 0) {
      this.#idle = Promise.withResolvers()
      setImmediate(() => this.#flush())
    }
  }

  /**
   * How many requests wait and, in milliseconds, how long the oldest of them has waited and how long the batch under
   * way has taken so far.
   */
  load(now = performance.now()): Load {
    const oldest = this.#underWay[0] ?? this.#queue[0]
    return {
      waiting: this.#queue.length + this.#underWay.length,
      waitedFor: oldest === undefined ? 0 : now - oldest.since,
      stalledFor: this.#underWay.length > 0 ? now - this.#since : 0,
    }
  }

  /**
   * How long background work should pause now, in milliseconds; 0 when idle. The more requests come in, the longer; if
   * many wait, at least as long as they have waited.
   */
  backgroundDelay(): number {
    this.#countRequests(0)
    const { before, now } = this.#counts
    const { waiting, waitedFor } = this.load()
    return Math.min(LONGEST_DELAY, Math.max(delayFor(Math.max(before, now)), waiting > FEW ? waitedFor : 0))
  }

  /** Adds to the count of this window. If the window is over, it becomes the previous one. */
  #countRequests(count: number): void {
    const elapsed = performance.now() - this.#counts.since
    if (elapsed > WINDOW) {
      const before = elapsed > 2 * WINDOW ? 0 : this.#counts.now
      this.#counts = { since: performance.now(), before, now: 0 }
    }
    this.#counts.now += count
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
      this.#countRequests(batch.length)
      this.#underWay = batch
      // The first request of this batch may have waited for the batch before.
      const waited = this.#since - (batch[0]?.since ?? this.#since)
      const left = Math.max(0, this.#options.timeout - waited)
      const timer = setTimeout(() => this.#giveUp(), left)
      try {
        const results = await this.#handle(batch.map(({ request }) => request))
        for (const [i, queued] of batch.entries()) settle(queued)?.resolve(results[i] as Result)
      } catch (error) {
        const failure =
          error instanceof StoreUnavailable
            ? error
            : new StoreUnavailable('The database failed to handle the batch', { cause: error })
        for (const queued of batch) settle(queued)?.reject(failure)
      } finally {
        clearTimeout(timer)
        this.#underWay = []
      }
    }
    this.#idle.resolve()
  }

  async #gather(): Promise<void> {
    const { turns } = this.#options
    for (let before = 0, turn = 0; this.#queue.length > before && turn < turns; turn++) {
      before = this.#queue.length
      await new Promise(resolve => setImmediate(resolve))
    }
  }

  /** No request waits forever: neither those of the stalled batch nor those behind it. */
  #giveUp() {
    const failure = new StoreUnavailable('The database did not respond in time')
    for (const queued of [...this.#underWay, ...this.#queue]) settle(queued)?.reject(failure)
    this.#queue = []
  }
}
