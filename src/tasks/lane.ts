/**
 * A lane of the worker: claims what is due and starts it, as much at once as it has slots. What
 * waits in one lane never waits for another.
 */
import { randomUUID } from 'node:crypto'
import type { Logger } from 'pino'
import type { Lane as LaneName } from '../store/schema.ts'
import type { Store } from '../store/store.ts'
import type { Task } from '../store/tasks.ts'
import type { Clock } from '../time.ts'

/** How often a lane looks for due tasks that nobody nudged it about, in milliseconds. */
const POLL = 5_000

export type LaneWork = {
  name: LaneName
  /** How many jobs may run at once. */
  slots: number
  /** How many tasks make one job. */
  tasksPerJob: number
  /** Does one job and concludes its tasks. What it throws is logged; the lease brings them back. */
  run: (tasks: Task[]) => Promise<void>
}

type Surroundings = { store: Store; clock: Clock; log: Logger }

export class Lane {
  readonly #work: LaneWork
  readonly #around: Surroundings
  readonly #token = randomUUID()
  readonly #running = new Map<Promise<void>, Task[]>()
  #stopping = false
  #wake = Promise.withResolvers<void>()
  #loop: Promise<void> | undefined

  constructor(work: LaneWork, around: Surroundings) {
    this.#work = work
    this.#around = around
  }

  start(): void {
    this.#loop ??= this.#repeat()
  }

  /** Something may be due now. */
  nudge(): void {
    this.#wake.resolve()
  }

  /**
   * Claims nothing more, waits up to `patience` milliseconds for what runs, and gives back the
   * claims of what did not end by then.
   */
  async stop(patience: number): Promise<void> {
    this.#stopping = true
    this.nudge()
    await this.#loop
    await Promise.race([Promise.all(this.#running.keys()), after(patience)])
    const left = [...this.#running.values()].flat().map(task => task.id)
    if (left.length === 0) return
    const { store, log } = this.#around
    await store.releaseTasks(left, this.#token).catch(error => {
      log.warn(
        { err: error, lane: this.#work.name },
        'claims could not be given back; they end by themselves',
      )
    })
  }

  /** Works until nothing is due any more. Returns how many tasks were started. */
  async drain(): Promise<number> {
    for (let total = 0; ; ) {
      const started = await this.#pass()
      await Promise.all(this.#running.keys())
      if (started === 0) return total
      total += started
    }
  }

  async #repeat(): Promise<void> {
    while (!this.#stopping) {
      this.#wake = Promise.withResolvers()
      try {
        // Taking in goes first: beside it, one job at a time with rests between.
        const rest = this.#around.store.backgroundDelay()
        if (rest > 0) await after(rest)
        const started = await this.#pass(rest > 0 ? 1 : this.#work.slots)
        if (started > 0 && this.#running.size < this.#work.slots) continue
      } catch (error) {
        this.#around.log.error({ err: error, lane: this.#work.name }, 'a pass of the worker failed')
      }
      const full = this.#running.size >= this.#work.slots
      // A full lane wakes up too: to stop, it must not wait for a job that hangs.
      await Promise.race([this.#wake.promise, ...(full ? this.#running.keys() : [after(POLL)])])
    }
  }

  /** Claims what there are slots for, up to `most` jobs, and starts it. Returns how many tasks. */
  async #pass(most = this.#work.slots): Promise<number> {
    const { slots, tasksPerJob } = this.#work
    const limit = Math.min(most, slots - this.#running.size) * tasksPerJob
    if (limit <= 0 || this.#stopping) return 0
    const { store, clock } = this.#around
    const claim = { lane: this.#work.name, now: clock.now(), token: this.#token, limit }
    const claimed = await store.claimTasks(claim)
    // A job that outlives its lease, or a clock set back, must not start the same task twice here.
    const running = new Set([...this.#running.values()].flat().map(task => task.id))
    const tasks = claimed.filter(task => !running.has(task.id))
    for (let i = 0; i < tasks.length; i += tasksPerJob) this.#begin(tasks.slice(i, i + tasksPerJob))
    return tasks.length
  }

  #begin(tasks: Task[]): void {
    const job = this.#work
      .run(tasks)
      .catch(error => {
        this.#around.log.error({ err: error, lane: this.#work.name }, 'a task failed unexpectedly')
      })
      .finally(() => this.#running.delete(job))
    this.#running.set(job, tasks)
  }
}

function after(milliseconds: number): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, milliseconds).unref())
}
