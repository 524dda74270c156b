/** The kills of a simulated month: the seed plans them, and each hits a replica in the middle of its work. */
import type { Random } from '../random.ts'
import type { Desk } from './desk.ts'
import { MONTH } from './world-time.ts'

/** The countdown to a kill: commands to the mail server, requests, or milliseconds. */
type Countdown = { of: 'command' | 'request' | 'time'; left: number }

export class KillSchedule {
  kills = 0
  /** Called when a replica has been killed. */
  onKill: () => void = () => {}
  readonly #desks: Desk[]
  readonly #random: Random
  readonly #planned: number[]
  readonly #restarts = new Set<Promise<void>>()
  #countdown: Countdown | undefined
  #failure: unknown
  #now = 0

  constructor(desks: Desk[], random: Random, kills: number) {
    this.#desks = desks
    this.#random = random
    const moments = Array.from({ length: kills }, () => random.between(0, MONTH))
    this.#planned = moments.sort((one, other) => one - other)
  }

  /** Starts a step. A kill that was not carried out in the last step is still to come. */
  begin(elapsed: number, now: number): void {
    this.#now = now
    if (this.#countdown !== undefined || (this.#planned[0] ?? Infinity) > elapsed) return
    this.#planned.shift()
    const of = this.#random.pick(['command', 'command', 'command', 'time', 'request'] as const)
    const left = Math.ceil(this.#random.between(0, of === 'time' ? 60 : 12))
    this.#countdown = { of, left }
  }

  /** Counts a command or a request. */
  heard(what: 'command' | 'request'): void {
    if (this.#countdown?.of === what && --this.#countdown.left <= 0) this.#kill()
  }

  /** The replicas work until `done` resolves. */
  working(done: Promise<unknown>): void {
    const countdown = this.#countdown
    if (countdown?.of !== 'time') return
    const timer = setTimeout(() => this.#kill(), countdown.left)
    done.then(() => clearTimeout(timer))
  }

  #kill() {
    this.#countdown = undefined
    const up = this.#desks.filter(desk => desk.up)
    if (up.length === 0) return
    const victim = this.#random.pick(up)
    this.kills++
    this.onKill()
    const restart = victim
      .kill()
      .then(() => victim.start(this.#now))
      .catch(error => {
        this.#failure = error
      })
      .finally(() => this.#restarts.delete(restart))
    this.#restarts.add(restart)
  }

  /** Returns once all replicas are up again. Throws if one could not be started. */
  async recovered(): Promise<void> {
    while (this.#restarts.size > 0) await Promise.all(this.#restarts)
    if (this.#failure !== undefined) throw this.#failure
  }
}
