/**
 * The database's clock, followed from here: what the replicas agree on although their own clocks
 * differ. Between looks it goes on by the monotonic clock, which nobody can set.
 */
import type { Clock } from '../../platform/time.ts'
import type { Pool } from './connections.ts'

/** How often the database is asked for the time, in milliseconds. */
const LOOK_EVERY = 10_000

/** An answer that took longer says too little about the time, in milliseconds. */
const LONGEST_LOOK = 1000

const NOW = 'select (extract(epoch from clock_timestamp()) * 1000)::bigint as now'

export class DatabaseClock implements Clock {
  readonly #pool: Pool
  #timer: NodeJS.Timeout | undefined
  /** The database's time when the monotonic clock was at zero. */
  #origin = 0

  private constructor(pool: Pool) {
    this.#pool = pool
  }

  /** Throws when the database cannot be asked. */
  static async start(pool: Pool): Promise<DatabaseClock> {
    const clock = new DatabaseClock(pool)
    await clock.#look(Number.POSITIVE_INFINITY)
    // A look that fails leaves the clock as it goes.
    clock.#timer = setInterval(() => void clock.#look(LONGEST_LOOK).catch(() => {}), LOOK_EVERY)
    clock.#timer.unref()
    return clock
  }

  now(): number {
    return Math.round(this.#origin + performance.now())
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  async #look(longest: number): Promise<void> {
    const asked = performance.now()
    const { rows } = await this.#pool.query<{ now: number }>(NOW)
    const answered = performance.now()
    if (answered - asked > longest) return
    this.#origin = Number(rows[0]?.now) - (asked + answered) / 2
  }
}
