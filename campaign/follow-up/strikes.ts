/** The kills of a simulated month: planned by seed, each struck in the middle of something. */
import type { Random } from '../random.ts'
import type { Desk } from './desks.ts'
import { MONTH } from './world-time.ts'

/** What is counted down to the blow: commands that the mail server hears, requests, or milliseconds. */
type Fuse = { of: 'command' | 'request' | 'time'; left: number }

export class Strikes {
  kills = 0
  /** Called when somebody has been killed. */
  onKill: () => void = () => {}
  readonly #desks: Desk[]
  readonly #random: Random
  readonly #planned: number[]
  readonly #restarts = new Set<Promise<void>>()
  #fuse: Fuse | undefined
  #failure: unknown
  #now = 0

  constructor(desks: Desk[], random: Random, kills: number) {
    this.#desks = desks
    this.#random = random
    const moments = Array.from({ length: kills }, () => random.between(0, MONTH))
    this.#planned = moments.sort((one, other) => one - other)
  }

  /** A step begins. A blow that found nothing to strike in the last one is still to come. */
  begin(elapsed: number, now: number): void {
    this.#now = now
    if (this.#fuse !== undefined || (this.#planned[0] ?? Infinity) > elapsed) return
    this.#planned.shift()
    const of = this.#random.pick(['command', 'command', 'command', 'time', 'request'] as const)
    const left = Math.ceil(this.#random.between(0, of === 'time' ? 60 : 12))
    this.#fuse = { of, left }
  }

  /** One more of what it may count down. */
  heard(what: 'command' | 'request'): void {
    if (this.#fuse?.of === what && --this.#fuse.left <= 0) this.#strike()
  }

  /** The replicas begin to work, until `done`. */
  working(done: Promise<unknown>): void {
    const fuse = this.#fuse
    if (fuse?.of !== 'time') return
    const timer = setTimeout(() => this.#strike(), fuse.left)
    done.then(() => clearTimeout(timer))
  }

  #strike() {
    this.#fuse = undefined
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

  /** Returns once everybody is up again. Throws when somebody could not be started. */
  async recovered(): Promise<void> {
    while (this.#restarts.size > 0) await Promise.all(this.#restarts)
    if (this.#failure !== undefined) throw this.#failure
  }
}
