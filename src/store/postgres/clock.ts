/**
 * The database's clock, as this process sees it: the replicas agree on it although their own clocks differ. Between
 * readings it advances by the monotonic clock, which no one can set.
 */
import type { Clock } from '../../platform/time.ts'
import type { Pool } from './connections.ts'

/** How often the database's clock is read, in milliseconds. */
const READ_EVERY = 10_000

/** A reading that took longer than this, in milliseconds, is too inexact to use. */
const LONGEST_READING = 1000

const NOW = 'select (extract(epoch from clock_timestamp()) * 1000)::bigint as now'

export class DatabaseClock implements Clock {
  readonly #pool: Pool
  #timer: NodeJS.Timeout | undefined
  /** The database's time when the monotonic clock was at zero. */
  #origin = 0

  private constructor(pool: Pool) {
    this.#pool = pool
  }

  /** Throws when the database cannot be reached. */
  static async start(pool: Pool): Promise<DatabaseClock> {
    const clock = new DatabaseClock(pool)
    await clock.#read(Number.POSITIVE_INFINITY)
    // After a failed reading, the clock continues as before.
    clock.#timer = setInterval(() => void clock.#read(LONGEST_READING).catch(() => {}), READ_EVERY)
    clock.#timer.unref()
    return clock
  }

  now(): number {
    return Math.round(this.#origin + performance.now())
  }

  elapsed(): number {
    return performance.now()
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  async #read(longest: number): Promise<void> {
    const asked = performance.now()
    const { rows } = await this.#pool.query<{ now: number }>(NOW)
    const answered = performance.now()
    if (answered - asked > longest) return
    this.#origin = Number(rows[0]?.now) - (asked + answered) / 2
  }
}
