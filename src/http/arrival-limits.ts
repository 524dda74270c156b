/** How long a request may take to arrive. Node.js has one limit for all; some requests on a port may take longer. */
import type { IncomingMessage } from 'node:http'

/** The times by which the rest of certain requests must have arrived. All other requests have the usual limit. */
const extended = new WeakMap<IncomingMessage, number>()

/**
 * Lets the rest of a request take up to `time` milliseconds from now. Only for clients that we know, since slow
 * requests take up connections and memory.
 */
export function allowTime(request: IncomingMessage, time: number): void {
  extended.set(request, performance.now() + time)
}

/** The requests of a server that have begun to arrive. Moments are those of `performance.now()`. */
export class Arrivals {
  readonly #within: number
  readonly #late: (request: IncomingMessage) => void
  readonly #since = new Map<IncomingMessage, number>()

  /**
   * A request must arrive within `within` milliseconds after its headers, unless it was given more time. Otherwise,
   * `late` is called.
   */
  constructor(within: number, late: (request: IncomingMessage) => void) {
    this.#within = within
    this.#late = late
  }

  begin(request: IncomingMessage, now = performance.now()): void {
    this.#since.set(request, now)
  }

  /** Finds late requests, each once. Call it about every second. */
  check(now = performance.now()): void {
    for (const [request, since] of this.#since) {
      const over = now > (extended.get(request) ?? since + this.#within)
      const ended = request.complete || request.destroyed
      if (over || ended) this.#since.delete(request)
      if (over && !ended) this.#late(request)
    }
  }
}
