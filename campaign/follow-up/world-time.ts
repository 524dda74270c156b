/**
 * The time of a simulated month: how much of it has passed, and what the clocks of the machines show,
 * which are set forward by three days once and back by two.
 */
import { DAY, HOUR, MINUTE } from '../../src/time.ts'
import { Random } from '../random.ts'
import { localTime } from './hours.ts'

/** 18 October 2026, a Sunday, 8:00 in New York. Clocks there change on 1 November. */
const START = Date.parse('2026-10-18T12:00:00Z')

/** How long people write in, and how long it goes on at least, so that all letters can come. */
export const MONTH = 30 * DAY
export const WHOLE = MONTH + 21 * DAY

/** By how much the clocks of the replicas differ at most: what the program allows for is 5 seconds. */
export const SKEW = 4_000

export type Jump = { at: number; by: number }

export class WorldTime {
  /** Steps so far: everything that happens is told apart by the step it happened in. */
  tick = 0
  /** Time that has passed since the start, in milliseconds. */
  elapsed = 0
  readonly jumps: Jump[]
  readonly #random: Random
  readonly #pace: number
  readonly #ticks = new Map<number, number[]>()

  /** With a `pace` of 2 steps are twice as long. */
  constructor(seed: number, pace: number) {
    this.#random = new Random(seed, 'time')
    this.#pace = pace
    this.jumps = [
      { at: this.#random.between(4 * DAY, 8 * DAY), by: 3 * DAY },
      { at: this.#random.between(18 * DAY, 24 * DAY), by: -2 * DAY },
    ]
  }

  /** What the clocks show. */
  get now(): number {
    return this.shownAfter(this.elapsed)
  }

  /** What the clocks show after so much time. */
  shownAfter(elapsed: number): number {
    const jumped = this.jumps.filter(({ at }) => at <= elapsed)
    return jumped.reduce((sum, { by }) => sum + by, START + Math.round(elapsed))
  }

  /** Goes on by one step: some minutes while the school is open, up to an hour else, longer at the end. */
  step(): void {
    const { day, hour } = localTime('America/New_York', this.now)
    const working = day !== 'Sat' && day !== 'Sun' && hour >= 9 && hour < 17
    const [low, high] = this.elapsed > MONTH + DAY ? [40, 180] : working ? [3, 20] : [15, 60]
    this.elapsed +=
      this.#pace * this.#random.between(low, Math.min(high, 180 / this.#pace)) * MINUTE
    this.tick++
    const known = this.#ticks.get(this.now) ?? []
    this.#ticks.set(this.now, [...known, this.tick])
  }

  /** The steps in which the clock of a replica showed this; after it was set back there may be two. */
  ticksAt(shown: number): number[] {
    return [...(this.#ticks.get(shown) ?? []), ...(this.#ticks.get(shown - SKEW) ?? [])]
  }
}

/** A stretch of time in which the mail server takes nothing, and how it says so. */
export type Outage = { from: number; to: number; how: 'deferred' | 'unavailable' | 'dropped' }

/** One of up to two days, in which the clock is set back, some of hours, and a brief one. */
export function planOutages(seed: number, { jumps }: WorldTime): Outage[] {
  const random = new Random(seed, 'outages')
  const back = jumps.find(({ by }) => by < 0)?.at ?? 0
  const hours = (from: number, how: Outage['how']): Outage => ({
    from,
    to: from + random.between(1, 9) * HOUR,
    how,
  })
  const half = random.between(10, 24) * HOUR
  // The mail library waits a while over each connection that ends without a word.
  const brief = random.between(9, 13) * DAY
  return [
    { from: back - half, to: back + half, how: 'deferred' },
    { from: brief, to: brief + HOUR / 2, how: 'dropped' },
    hours(random.between(1, 4) * DAY, 'unavailable'),
    hours(random.between(13, 17) * DAY, 'deferred'),
    hours(random.between(26, 34) * DAY, 'unavailable'),
  ]
}
