/**
 * The time of a simulated month: how much of it has passed, and what the clocks of the machines show.
 * The clocks are once set forward by three days and once back by two.
 */
import { DAY, HOUR, MINUTE } from '../../src/platform/time.ts'
import { Random } from '../random.ts'
import { dayNumber, localTime, nextMorning } from './hours.ts'
import { HOLIDAYS } from './school.ts'

/** October 18, 2026, a Sunday, 8:00 in New York. Clocks there change on November 1. */
const START = Date.parse('2026-10-18T12:00:00Z')

/** How long people write in, and the least length of the simulation, so that all emails can come. */
export const MONTH = 30 * DAY
export const WHOLE = MONTH + 21 * DAY

/** The largest difference between the replicas' clocks, in milliseconds. The program allows for 5 seconds. */
export const SKEW = 4_000

export type Moment = {
  tick: number
  /** The first step in which the replicas must take it into account. */
  from: number
  /** The time on the clocks. */
  at: number
  elapsed: number
}

export type Jump = { at: number; by: number }

export class WorldTime {
  /** The number of steps so far. Every event is recorded with its step. */
  tick = 0
  /** Time that has passed since the start, in milliseconds. */
  elapsed = 0
  readonly jumps: Jump[]
  readonly #random: Random
  readonly #pace: number
  readonly #ticks = new Map<number, number[]>()
  /** What had passed at each step. */
  readonly #elapsed: number[] = [0]

  /** With a `pace` of 2, steps are twice as long. */
  constructor(seed: number, pace: number) {
    this.#random = new Random(seed, 'time')
    this.#pace = pace
    this.jumps = [
      { at: this.#random.between(4 * DAY, 8 * DAY), by: 3 * DAY },
      { at: this.#random.between(18 * DAY, 24 * DAY), by: -2 * DAY },
    ]
  }

  /** The time on the clocks. */
  get now(): number {
    return this.shownAfter(this.elapsed)
  }

  /** The time on the clocks after `elapsed` milliseconds. */
  shownAfter(elapsed: number): number {
    const jumped = this.jumps.filter(({ at }) => at <= elapsed)
    return jumped.reduce((sum, { by }) => sum + by, START + Math.round(elapsed))
  }

  /**
   * Moves on by one step: some minutes while the school is open, so that no step misses the only hour in which someone
   * can be called for weeks; otherwise up to an hour, longer at the end.
   */
  step(): void {
    const { day, hour } = localTime('America/New_York', this.now)
    const working = day !== 'Sat' && day !== 'Sun' && hour >= 9 && hour < 17
    const [low, high] = working ? [3, 20] : this.elapsed > MONTH + DAY ? [40, 180] : [15, 60]
    this.elapsed += this.#pace * this.#random.between(low, Math.min(high, 180 / this.#pace)) * MINUTE
    this.tick++
    this.#elapsed[this.tick] = this.elapsed
    const known = this.#ticks.get(this.now) ?? []
    this.#ticks.set(this.now, [...known, this.tick])
  }

  /** How much time had passed at a step, in milliseconds. */
  elapsedIn(tick: number): number {
    return this.#elapsed[tick] ?? Number.POSITIVE_INFINITY
  }

  /**
   * The first step for which a condition on the time that had passed holds, from this one on; undefined if there was
   * none.
   */
  tickWhere(from: number, holds: (elapsed: number) => boolean): number | undefined {
    const tick = this.#elapsed.findIndex((elapsed, one) => one >= from && holds(elapsed))
    return tick === -1 ? undefined : tick
  }

  /** By how much the clocks were set back after one step and up to another, in milliseconds. */
  setBack(after: number, until: number): number {
    const [from = 0, to = 0] = [this.#elapsed[after], this.#elapsed[until]]
    const between = this.jumps.filter(({ at, by }) => by < 0 && at > from && at <= to)
    return between.reduce((sum, { by }) => sum - by, 0)
  }

  /**
   * How often the clocks were set back to the day `day` (yyyymmdd) or before it, from that day or later, or from
   * the day or the school day before, when something may have been planned for it.
   */
  setsBack(day: number): number {
    return this.jumps.filter(({ at, by }) => {
      const shown = this.shownAfter(at)
      const planned = Math.max(shown - by + DAY, nextMorning(shown - by, HOLIDAYS))
      return by < 0 && dayNumber(shown) <= day && day <= dayNumber(planned)
    }).length
  }

  /** The steps in which the clock of a replica showed this time. There may be two after it was set back. */
  ticksAt(shown: number): number[] {
    return [...(this.#ticks.get(shown) ?? []), ...(this.#ticks.get(shown - SKEW) ?? [])]
  }

  /**
   * The steps in which a task may have been finished whose row says this time. Once the clocks are set back, tasks that
   * were finished in what is then the future get the time at which a replica noticed.
   */
  ticksOfEnd(shown: number): number[] {
    const ticks = this.ticksAt(shown)
    return [...ticks.flatMap(tick => this.#ticksCorrected(tick)), ...ticks]
  }

  /** The steps before the clocks were set back that were still in the future in a step after it. */
  #ticksCorrected(tick: number): number[] {
    const now = this.#elapsed[tick] ?? 0
    return this.jumps.flatMap(({ at, by }) =>
      at > now ? [] : this.#elapsed.flatMap((elapsed, one) => (elapsed < at && elapsed > now + by ? [one] : [])),
    )
  }
}

/** A time in which the mail server accepts nothing, and how it says so. */
export type Outage = { from: number; to: number; how: 'deferred' | 'unavailable' | 'dropped' }

/** Plans a long outage of up to two days, in which the clock is set back, some of hours, and a brief one. */
export function planOutages(seed: number, { jumps }: WorldTime): Outage[] {
  const random = new Random(seed, 'outages')
  const back = jumps.find(({ by }) => by < 0)?.at ?? 0
  const hours = (from: number, how: Outage['how']): Outage => ({ from, to: from + random.between(1, 9) * HOUR, how })
  const half = random.between(10, 24) * HOUR
  // The mail library waits a while for each connection that is closed without a reply.
  const brief = random.between(9, 13) * DAY
  return [
    { from: back - half, to: back + half, how: 'deferred' },
    { from: brief, to: brief + HOUR / 2, how: 'dropped' },
    hours(random.between(1, 4) * DAY, 'unavailable'),
    hours(random.between(13, 17) * DAY, 'deferred'),
    hours(random.between(26, 34) * DAY, 'unavailable'),
  ]
}
