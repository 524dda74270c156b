/**
 * Handles requests in batches: requests that arrive together share one transaction. One batch is under way at a time,
 * or several on a slow disk, and requests that arrive meanwhile become the next batch. Waiting for a fixed time would
 * only be slower.
 */
import { StoreUnavailable } from './store-unavailable.ts'

/** The maximum number of submissions in a batch. The limit keeps each transaction short. */
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

/** A delay of up to this many milliseconds, which corresponds to about 140 submissions a second, is not a rush. */
export const LIGHT = 10

/** So few waiting requests are not a reason to pause: on a slow disk, one nearly always waits. */
const FEW = 10

/** If batches usually take this long, in milliseconds, the disk is slow. */
const SLOW = 15
/** The weight of the last batch in the average time per batch. */
const NEWEST_SHARE = 0.1

type QueuedRequest<Request, Result> = {
  request: Request
  since: number
  /** Whether one of the two callbacks was called. Only one of them is ever called, and only once. */
  settled: boolean
  resolve: (result: Result) => void
  reject: (error: StoreUnavailable) => void
}

type Batch<Request, Result> = { requests: QueuedRequest<Request, Result>[]; since: number }

/** Marks a request as settled; undefined if it already was. */
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
   * For how many more turns of the event loop a batch may grow, as long as each turn brings more requests. This is
   * worthwhile if handling a batch uses the same core.
   */
  turns: number
  /**
   * Whether, on a slow disk and without a rush, a batch is handed over while others are still under way. It is then in
   * the next commit, even if that begins before we learn the result of the current one. Default: false.
   */
  overlapping?: boolean
}

export class Batcher<Request, Result> {
  readonly #handle: (batch: Request[]) => Promise<Result[]>
  readonly #options: BatcherOptions
  #queue: QueuedRequest<Request, Result>[] = []
  /** Oldest first. */
  readonly #underWay = new Set<Batch<Request, Result>>()
  /** How many batches are under way or being gathered. */
  #flushing = 0
  /** How long a batch takes, in milliseconds. */
  #usual = 0
  #idle = Promise.withResolvers<void>()
  #counts = { since: 0, before: 0, now: 0 }

  /**
   * `handle` carries out a batch and returns the result of each request, in order. If it throws, any request may or may
   * not have been carried out.
   */
  constructor(handle: (batch: Request[]) => Promise<Result[]>, options: BatcherOptions) {
    this.#handle = handle
    this.#options = options
    this.#idle.resolve()
  }

  /** Queues one request. Throws StoreUnavailable if it failed or its result was not known in time. */
  add(request: Request): Promise<Result> {
    return new Promise((resolve, reject) => this.addWith(request, resolve, reject))
  }

  /** Does the same with callbacks: for many requests, a promise for each would cost more than the batch. */
  addWith(request: Request, resolve: (result: Result) => void, reject: (error: StoreUnavailable) => void): void {
    this.#queue.push({ request, since: performance.now(), settled: false, resolve, reject })
    // All requests from this turn of the event loop join the batch, not only the first.
    if (this.#queue.length === 1 && (this.#flushing === 0 || this.#overlaps())) {
      if (this.#flushing === 0) this.#idle = Promise.withResolvers()
      this.#flushing += 1
      setImmediate(() => this.#flush())
    }
  }

  #overlaps(): boolean {
    const { overlapping = false } = this.#options
    return overlapping && this.#usual >= SLOW && this.backgroundDelay() <= LIGHT
  }

  /** How many requests wait, how long the oldest has, and how long the batch under way has taken, in milliseconds. */
  load(now = performance.now()): Load {
    const [first] = this.#underWay
    const oldest = first?.requests[0] ?? this.#queue[0]
    let waiting = this.#queue.length
    for (const { requests } of this.#underWay) waiting += requests.length
    return {
      waiting,
      waitedFor: oldest === undefined ? 0 : now - oldest.since,
      stalledFor: first === undefined ? 0 : now - first.since,
    }
  }

  /**
   * How long background work should pause now, in milliseconds; 0 when idle. The pause is longer the more requests come
   * in and, if many wait, at least as long as they have waited.
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
      // Meanwhile, the other call may have taken them all.
      const requests = this.#queue.splice(0, LARGEST_BATCH)
      if (requests.length > 0) await this.#handleInTime({ requests, since: performance.now() })
    }
    this.#flushing -= 1
    if (this.#flushing === 0) this.#idle.resolve()
  }

  async #handleInTime(batch: Batch<Request, Result>): Promise<void> {
    const { requests, since } = batch
    this.#countRequests(requests.length)
    this.#underWay.add(batch)
    // The first request of this batch may have waited for the previous batch.
    const waited = since - (requests[0]?.since ?? since)
    const left = Math.max(0, this.#options.timeout - waited)
    const timer = setTimeout(() => this.#giveUp(batch), left)
    try {
      const results = await this.#handle(requests.map(({ request }) => request))
      for (const [i, queued] of requests.entries()) settle(queued)?.resolve(results[i] as Result)
    } catch (error) {
      const failure =
        error instanceof StoreUnavailable
          ? error
          : new StoreUnavailable('The database failed to handle the batch', { cause: error })
      for (const queued of requests) settle(queued)?.reject(failure)
    } finally {
      clearTimeout(timer)
      this.#underWay.delete(batch)
      this.#usual += NEWEST_SHARE * (performance.now() - since - this.#usual)
    }
  }

  async #gather(): Promise<void> {
    const { turns } = this.#options
    for (let before = 0, turn = 0; this.#queue.length > before && turn < turns; turn++) {
      before = this.#queue.length
      await new Promise(resolve => setImmediate(resolve))
    }
  }

  /** No request waits forever, either in a stalled batch or behind it. */
  #giveUp({ requests }: Batch<Request, Result>) {
    const failure = new StoreUnavailable('The database did not respond in time')
    for (const queued of [...requests, ...this.#queue]) settle(queued)?.reject(failure)
    this.#queue = []
  }
}
