/** A lane of the worker: claims due tasks, and runs as many jobs at once as it has slots. Lanes never wait. */
import { randomUUID } from 'node:crypto'
import type { Logger } from 'pino'
import type { Services } from '../../lead-actions/services.ts'
import { MINUTE } from '../../platform/time.ts'
import type { Lane as LaneName } from '../../store/tables/schema.ts'
import { CLOCK_SKEW } from '../../store/tasks/clock-skew.ts'
import type { Task } from '../../store/tasks/tasks.ts'
import { giveWay } from './give-way.ts'
import type { Wait } from './in-portions.ts'
import { AWAY, forDatabase, isOutage, outageNote } from './outage.ts'
import { OutageLog } from './outage-log.ts'

/** How often a lane looks for due tasks without a nudge, in milliseconds. */
const POLL = 5_000

/** How often the claims of running jobs are renewed, in milliseconds: well within a lease. */
export const RENEW_EVERY = 5_000

/** How long after the clock was set back we trust it again, in milliseconds: by then, someone may have corrected it. */
const CLOCK_SETTLES = 10 * MINUTE

/**
 * If tasks are short, a lane claims more of them than it has slots for, since every claim is a commit: as many as it
 * can start within this time, in milliseconds, up to a maximum.
 */
const AHEAD_FOR = 500
const MOST_AHEAD = 64

/** The most jobs that run at once, as a multiple of the slots, including jobs that have left their slots. */
const MOST_TIMES = 9

/** A task still waiting for a slot after this long, in milliseconds, is released: another process may have one. */
const RELEASE_AFTER = 1000

export type LaneOptions = {
  name: LaneName
  /** How many jobs may run at once. */
  slots: number
  /** A job that has run for longer than this, in milliseconds, leaves its slot to others. Default: no job does. */
  hangsAfter?: number
  /** How many tasks make one job. */
  tasksPerJob: number
  /** Whether it claims only new notifications, so that they overtake a backlog. */
  fresh?: boolean
  /** Whether it claims tasks before it has slots for them. Default: false. */
  ahead?: boolean
  /** For how many jobs it claims at once, at most. Default: for as many as it has slots. */
  claims?: number
  /** The destinations whose events it does not claim now. Default: none. */
  passOver?: () => Promise<number[]>
  /**
   * Carries out one job and concludes its tasks. If it rejects because our database is unavailable, the tasks continue
   * as soon as it is back. Any other error is logged, and the tasks come back when their lease ends.
   */
  run: (tasks: Task[]) => Promise<void>
}

type LaneServices = Pick<Services, 'store' | 'clock'> & {
  log: Logger
  /** How a lane waits for the database. */
  wait?: Wait | undefined
  /** The shared log for lanes that cannot claim tasks. */
  outages?: OutageLog
}

export class Lane {
  readonly #options: LaneOptions
  readonly #deps: LaneServices
  readonly #outages: OutageLog
  readonly #token = randomUUID()
  readonly #running = new Map<Promise<void>, Task[]>()
  /** How many of the running jobs have left their slots. */
  #hanging = 0
  /** Claimed, and waiting for a slot, first due first. */
  #ready: Task[] = []
  /** The last claim: how many tasks it asked for, when that was, and whether it got that many. */
  #claims: { size: number; at: number; full: boolean }
  readonly #stopping = new AbortController()
  #wake = Promise.withResolvers<void>()
  #loop: Promise<void> | undefined
  #renewing: NodeJS.Timeout | undefined
  /** The latest time that the clock has shown, and when to look for tasks that were scheduled while it was ahead. */
  #clock = { latest: Number.POSITIVE_INFINITY, settlesAt: Number.POSITIVE_INFINITY }

  constructor(options: LaneOptions, deps: LaneServices) {
    this.#options = options
    this.#deps = deps
    this.#outages = deps.outages ?? new OutageLog(deps)
    this.#claims = { size: options.slots, at: 0, full: false }
  }

  start(): void {
    if (this.#loop !== undefined || this.#stopping.signal.aborted) return
    this.#renewing = setInterval(() => void this.#renew(), RENEW_EVERY).unref()
    this.#loop = this.#repeat()
  }

  get name(): LaneName {
    return this.#options.name
  }

  /** Says that work may be due now. */
  nudge(): void {
    this.#wake.resolve()
  }

  /** Stops claiming, waits up to `timeout` milliseconds for running jobs, and releases the claims of the others. */
  async stop(timeout: number): Promise<void> {
    this.#stopping.abort()
    this.nudge()
    await this.#loop
    await Promise.race([Promise.all(this.#running.keys()), after(timeout)])
    clearInterval(this.#renewing)
    const claimed = this.#claimed()
    this.#ready = []
    await this.#release(claimed)
  }

  async #release(tasks: Task[]): Promise<void> {
    if (tasks.length === 0) return
    const { store, log } = this.#deps
    const ids = tasks.map(task => task.id)
    await store.releaseTasks(ids, this.#token).catch(error => {
      log.warn({ err: error, lane: this.#options.name }, 'claims could not be released; they expire')
    })
  }

  #claimed(): Task[] {
    return [...this.#running.values(), this.#ready].flat()
  }

  /** A job may take longer than a lease. If the renewal fails, another process may do its tasks again. */
  async #renew(): Promise<void> {
    const { store, clock } = this.#deps
    const tasks = this.#claimed()
    if (tasks.length > 0) await store.renewTasks(tasks, clock.now()).catch(() => {})
  }

  /** Carries out as much of what is due as it has slots for. Returns how many tasks were started. */
  async drain(): Promise<number> {
    const started = await this.#pass(this.#options.slots, { ahead: false })
    await Promise.all(this.#running.keys())
    return started
  }

  async #repeat(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      this.#wake = Promise.withResolvers()
      try {
        // Intake has priority: in a rush, one job at a time, with pauses in between.
        const rush = await giveWay(this.#deps.store)
        const { slots, ahead = false } = this.#options
        const started = await this.#pass(rush ? 1 : slots, { ahead: ahead && !rush })
        if (started > 0 && this.#free() > 0) continue
      } catch (error) {
        this.#outages.failed(this, error)
        await forDatabase(AWAY.longest, this.#stopping.signal, this.#deps.wait)
        continue
      }
      const full = this.#free() <= 0
      // A full lane can be woken up, too: if it has to stop, it must not wait for a job that hangs.
      await Promise.race([this.#wake.promise, ...(full ? this.#running.keys() : [after(POLL)])])
    }
  }

  #free(): number {
    const { slots } = this.#options
    return Math.min(slots - (this.#running.size - this.#hanging), slots * MOST_TIMES - this.#running.size)
  }

  /** Claims tasks for the free slots, up to `most` jobs, and starts them. Returns how many tasks. */
  async #pass(most: number, { ahead }: { ahead: boolean }): Promise<number> {
    const { tasksPerJob, claims = most } = this.#options
    const limit = Math.min(most, claims, this.#free()) * tasksPerJob
    if (limit <= 0 || this.#stopping.signal.aborted) return 0
    if (this.#ready.length === 0) this.#ready = await this.#claim(limit, { ahead })
    const tasks = this.#ready.splice(0, limit)
    for (let i = 0; i < tasks.length; i += tasksPerJob) this.#begin(tasks.slice(i, i + tasksPerJob))
    return tasks.length
  }

  /** Claims as many tasks as can begin now, or some ahead. */
  async #claim(limit: number, { ahead }: { ahead: boolean }): Promise<Task[]> {
    const { name: lane, fresh = false } = this.#options
    const { store, clock } = this.#deps
    const now = clock.now()
    await this.watchClock(now)
    const most = ahead ? Math.max(limit, this.#claimSize()) : limit
    const passOver = await this.#options.passOver?.()
    const claimed = await store.claimTasks({ lane, now, token: this.#token, limit: most, fresh, passOver })
    this.#outages.succeeded(this)
    this.#claims.full = claimed.length === most
    if (claimed.length > limit) this.#releaseIfLate(claimed)
    // A job that outlives its lease, or a clock set back, must not start the same task twice here.
    const running = new Set(this.#claimed().map(task => task.id))
    return claimed.filter(task => !running.has(task.id))
  }

  /** How many tasks to claim: more than the last time if those have all begun soon; otherwise, fewer. */
  #claimSize(): number {
    const { size, at, full } = this.#claims
    const soon = performance.now() - at < AHEAD_FOR
    const next = soon ? (full ? size * 2 : size) : size >> 1
    const bounded = Math.min(Math.max(next, this.#options.slots), MOST_AHEAD)
    this.#claims = { size: bounded, at: performance.now(), full: false }
    return bounded
  }

  #releaseIfLate(claimed: readonly Task[]): void {
    setTimeout(() => {
      const late = this.#ready.filter(task => claimed.includes(task))
      this.#ready = this.#ready.filter(task => !claimed.includes(task))
      void this.#release(late)
    }, RELEASE_AFTER).unref()
  }

  /**
   * Tasks that were scheduled while the clock was ahead would be late by as much as it was ahead. Looks for such tasks
   * some time after the start, and after the clock was set back.
   */
  async watchClock(now: number): Promise<void> {
    if (now < this.#clock.latest - CLOCK_SKEW) this.#clock.settlesAt = now + CLOCK_SETTLES
    this.#clock.latest = now
    if (now < this.#clock.settlesAt) return
    await this.#deps.store.keepIntervals({ lane: this.#options.name, now })
    this.#clock.settlesAt = Number.POSITIVE_INFINITY
  }

  #begin(tasks: Task[]): void {
    const leave = this.#leaveSlotLater()
    const job = this.#options
      .run(tasks)
      .catch(error => {
        if (tasks.every(task => isOutage(error, task))) return this.#giveBack(tasks, error)
        this.#deps.log.error({ err: error, lane: this.#options.name }, 'a task failed unexpectedly')
      })
      .finally(() => {
        leave()
        this.#running.delete(job)
      })
    this.#running.set(job, tasks)
  }

  /** Counts a job as hanging if it has not ended in time, until the function that it returns is called. */
  #leaveSlotLater(): () => void {
    const { hangsAfter } = this.#options
    if (hangsAfter === undefined) return () => {}
    let hangs = false
    const timer = setTimeout(() => {
      hangs = true
      this.#hanging += 1
      this.nudge()
    }, hangsAfter).unref()
    return () => {
      clearTimeout(timer)
      if (hangs) this.#hanging -= 1
    }
  }

  /**
   * Keeps the slot of a job until the database is back, so that the lane does not try one task after the other. The
   * tasks are then unchanged, and can be claimed immediately.
   */
  async #giveBack(tasks: Task[], error: Error): Promise<void> {
    const { store, clock, log } = this.#deps
    log.warn({ lane: this.#options.name, reason: error.message }, 'tasks wait until the database is back')
    for (let pause = AWAY.first; ; pause = Math.min(pause * 2, AWAY.longest)) {
      try {
        for (const task of tasks) {
          const wait = { dueAt: task.due_at, note: outageNote(task), now: clock.now(), countsAsAttempt: false }
          await store.postponeTask(task, wait)
        }
        return
      } catch {
        if (this.#stopping.signal.aborted) return
        await forDatabase(pause, this.#stopping.signal, this.#deps.wait)
      }
    }
  }
}

const after = (milliseconds: number): Promise<void> => new Promise(resolve => setTimeout(resolve, milliseconds).unref())
