/**
 * Logs an outage of the database. All lanes of a process run into the same outage, and try again every few seconds. The
 * log has each reason once and, when all lanes can claim tasks again, how long the outage lasted.
 */
import type { Logger } from 'pino'
import type { Clock } from '../../platform/time.ts'
import { StoreUnavailable } from '../../store/acceptance/store-unavailable.ts'
import type { Lane } from '../../store/tables/schema.ts'

export class OutageLog {
  readonly #log: Logger
  readonly #clock: Clock
  /** Who could not claim tasks the last time. */
  readonly #waiting = new Set<object>()
  readonly #reasons = new Set<string>()
  #since = 0
  #times = 0

  constructor({ log, clock }: { log: Logger; clock: Clock }) {
    this.#log = log
    this.#clock = clock
  }

  /** The claim of this lane has failed. An error of another kind is a defect, and is logged each time. */
  failed(one: { name: Lane }, error: unknown): void {
    if (error instanceof StoreUnavailable) {
      if (this.#waiting.size === 0) this.#since = this.#clock.now()
      this.#waiting.add(one)
      this.#times += 1
      if (this.#reasons.has(error.message)) return
      this.#reasons.add(error.message)
    }
    this.#log.error({ err: error, lane: one.name }, 'the worker could not claim tasks')
  }

  /** The claim of this lane has succeeded. */
  succeeded(one: object): void {
    if (!this.#waiting.delete(one) || this.#waiting.size > 0) return
    const seconds = Math.round((this.#clock.now() - this.#since) / 1000)
    this.#log.info({ times: this.#times, seconds }, 'the worker can claim tasks again')
    this.#reasons.clear()
    this.#times = 0
  }
}
