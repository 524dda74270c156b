/**
 * A lane of the worker: claims tasks that are due and runs as many jobs at once as it has slots. Lanes
 * never wait for each other.
 */
import { randomUUID } from 'node:crypto'
import type { Logger } from 'pino'
import { type Clock, MINUTE } from '../platform/time.ts'
import { CLOCK_SKEW } from '../store/clock-skew.ts'
import type { Lane as LaneName } from '../store/schema.ts'
import type { Store } from '../store/store.ts'
import type { Task } from '../store/tasks.ts'

/** How often a lane looks for due tasks without a nudge, in milliseconds. */
const POLL = 5_000

/** How often the claims of running jobs are renewed, in milliseconds: well within a lease. */
export const RENEW_EVERY = 5_000

/** A clock that was set back is trusted after this long, in milliseconds: it may be set right by then. */
const CLOCK_SETTLES = 10 * MINUTE

export type LaneOptions = {
  name: LaneName
  /** How many jobs may run at once. */
  slots: number
  /** How many tasks make one job. */
  tasksPerJob: number
  /** Whether it claims only notifications that have just come in, which so overtake a backlog. */
  fresh?: boolean
  /** Carries out one job and concludes its tasks. We log an error; the tasks come back when their lease ends. */
  run: (tasks: Task[]) => Promise<void>
}

type Dependencies = { store: Store; clock: Clock; log: Logger }

export class Lane {
  readonly #options: LaneOptions
  readonly #deps: Dependencies
  readonly #token = randomUUID()
  readonly #running = new Map<Promise<void>, Task[]>()
  #stopping = false
  #wake = Promise.withResolvers<void>()
  #loop: Promise<void> | undefined
  #renewing: NodeJS.Timeout | undefined
  /** The latest moment that the clock has shown, and when to look for tasks of a clock that was ahead. */
  #clock = { latest: Number.POSITIVE_INFINITY, settlesAt: Number.POSITIVE_INFINITY }

  constructor(options: LaneOptions, deps: Dependencies) {
    this.#options = options
    this.#deps = deps
  }

  start(): void {
    if (this.#loop !== undefined || this.#stopping) return
    this.#renewing = setInterval(() => void this.#renew(), RENEW_EVERY).unref()
    this.#loop = this.#repeat()
  }

  get name(): LaneName {
    return this.#options.name
  }

  /** Work may be due now. */
  nudge(): void {
    this.#wake.resolve()
  }

  /**
   * Claims nothing more, waits up to `timeout` milliseconds for running jobs, and releases the claims
   * of those that have not ended by then.
   */
  async stop(timeout: number): Promise<void> {
    this.#stopping = true
    this.nudge()
    await this.#loop
    await Promise.race([Promise.all(this.#running.keys()), after(timeout)])
    clearInterval(this.#renewing)
    const left = this.#claimed().map(task => task.id)
    if (left.length === 0) return
    const { store, log } = this.#deps
    await store.releaseTasks(left, this.#token).catch(error => {
      log.warn(
        { err: error, lane: this.#options.name },
        'claims could not be released; they expire',
      )
    })
  }

  /** The tasks of the running jobs. */
  #claimed(): Task[] {
    return [...this.#running.values()].flat()
  }

  /** A job may take longer than a lease. If this fails, another process may do its tasks again. */
  async #renew(): Promise<void> {
    const { store, clock } = this.#deps
    const tasks = this.#claimed()
    if (tasks.length > 0) await store.renewTasks(tasks, clock.now()).catch(() => {})
  }

  /** Does as much of what is due as it has slots for. Returns how many tasks were started. */
  async drain(): Promise<number> {
    const started = await this.#pass()
    await Promise.all(this.#running.keys())
    return started
  }

  async #repeat(): Promise<void> {
    while (!this.#stopping) {
      this.#wake = Promise.withResolvers()
      try {
        // Intake has priority: under load, one job at a time, with pauses in between.
        const delay = this.#deps.store.backgroundDelay()
        if (delay > 0) await after(delay)
        const started = await this.#pass(delay > 0 ? 1 : this.#options.slots)
        if (started > 0 && this.#running.size < this.#options.slots) continue
      } catch (error) {
        this.#deps.log.error(
          { err: error, lane: this.#options.name },
          'the worker could not claim tasks',
        )
      }
      const full = this.#running.size >= this.#options.slots
      // A full lane can be woken, too: to stop, it must not wait for a job that hangs.
      await Promise.race([this.#wake.promise, ...(full ? this.#running.keys() : [after(POLL)])])
    }
  }

  /** Claims tasks for the free slots, up to `most` jobs, and starts them. Returns how many tasks. */
  async #pass(most = this.#options.slots): Promise<number> {
    const { slots, tasksPerJob, fresh = false } = this.#options
    const limit = Math.min(most, slots - this.#running.size) * tasksPerJob
    if (limit <= 0 || this.#stopping) return 0
    const { store, clock } = this.#deps
    const lane = this.#options.name
    const now = clock.now()
    await this.#watchClock(now)
    const claimed = await store.claimTasks({ lane, now, token: this.#token, limit, fresh })
    // A job that outlives its lease, or a clock set back, must not start the same task twice here.
    const running = new Set(this.#claimed().map(task => task.id))
    const tasks = claimed.filter(task => !running.has(task.id))
    for (let i = 0; i < tasks.length; i += tasksPerJob) this.#begin(tasks.slice(i, i + tasksPerJob))
    return tasks.length
  }

  /**
   * What a clock that was ahead has scheduled would be late by as much as it was ahead. Looks for it some
   * time after the start, and after the clock was set back.
   */
  async #watchClock(now: number): Promise<void> {
    if (now < this.#clock.latest - CLOCK_SKEW) this.#clock.settlesAt = now + CLOCK_SETTLES
    this.#clock.latest = now
    if (now < this.#clock.settlesAt) return
    // The end of a pause is a moment that a person chose.
    if (this.#options.name !== 'pauses')
      await this.#deps.store.keepIntervals({ lane: this.#options.name, now })
    this.#clock.settlesAt = Number.POSITIVE_INFINITY
  }

  #begin(tasks: Task[]): void {
    const job = this.#options
      .run(tasks)
      .catch(error => {
        this.#deps.log.error({ err: error, lane: this.#options.name }, 'a task failed unexpectedly')
      })
      .finally(() => this.#running.delete(job))
    this.#running.set(job, tasks)
  }
}

function after(milliseconds: number): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, milliseconds).unref())
}
