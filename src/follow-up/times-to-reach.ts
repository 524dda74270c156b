/**
 * How long it took to reach people, as codes that can be counted and added up: each stands for a band that
 * people read, and for a narrow range of durations that percentiles are computed from.
 */
import { MINUTE } from '../platform/time.ts'
import type { Calendar } from './calendar.ts'

/** In the order of their numbers. In working time, a day is one on which the school opens. */
export const contactBands = ['within 5 min', 'within 1 hour', 'same day', 'next day', 'later'] as const

/** The upper limits of the ranges, in minutes. From 4 on, each is at most a quarter longer than the one before. */
const LIMITS = [
  1,
  2,
  3,
  4,
  5,
  6,
  7,
  8,
  10,
  12,
  15,
  18,
  20,
  25,
  30,
  35,
  40,
  45,
  50,
  60,
  ...[1.25, 1.5, 1.75, 2, 2.5, 3, 3.5, 4, 5, 6, 7, 8, 10, 12, 14, 16, 18, 20, 24].map(h => h * 60),
  ...[1.25, 1.5, 1.75, 2, 2.5, 3, 3.5, 4, 5, 6, 7, 8, 10, 12, 14, 17, 21, 25, 30].map(d => d * 1440),
  ...[37, 45, 55, 65, 80, 100, 120, 150, 185, 225, 280, 365].map(d => d * 1440),
]

/** More than there are ranges. */
const BAND = 100

type ContactTime = { wall: number; working: number }

/** How long it took to reach some people, in all hours and in those in which the school was open. */
export type Speed = { wall: ContactTimes; working: ContactTimes }

/**
 * The codes of the time between two moments: all of it, and that in which the school was open. The days of
 * working time count from the school's next opening. A contact before `from` counts as one at once.
 */
export function contactTime(
  { zone, school }: Pick<Calendar, 'zone' | 'school'>,
  from: number,
  contact: number,
): ContactTime {
  const dayOf = (moment: number) => zone.localTime(moment).day
  const code = (elapsed: number, day: number, next: number) =>
    bandOf(elapsed, dayOf(contact), { day, next }) * BAND + rangeOf(elapsed)
  const day = dayOf(from)
  const opening = dayOf(school.open(from))
  const tomorrow = zone.momentOf({ day: opening + 1, time: 0 })
  return {
    wall: code(Math.max(0, contact - from), day, day + 1),
    working: code(school.elapsed(from, contact), opening, dayOf(school.open(tomorrow))),
  }
}

function bandOf(elapsed: number, contactDay: number, { day, next }: Record<'day' | 'next', number>) {
  if (elapsed <= 5 * MINUTE) return 0
  if (elapsed <= 60 * MINUTE) return 1
  if (contactDay <= day) return 2
  return contactDay <= next ? 3 : 4
}

const rangeOf = (elapsed: number): number => {
  const range = LIMITS.findIndex(limit => elapsed <= limit * MINUTE)
  return range === -1 ? LIMITS.length : range
}

export type ContactTimes = {
  count: number
  bands: number[]
  /** Half of them, and 95 % of them, took at most about this long, in milliseconds; null if there are none. */
  p50: number | null
  p95: number | null
}

/** Adds up how long it took to reach one person after the other. */
export function createSpeed() {
  const counts = { wall: new Map<number, number>(), working: new Map<number, number>() }
  const sum = (codes: Map<number, number>, code: number) => codes.set(code, (codes.get(code) ?? 0) + 1)
  return {
    add(time: ContactTime): void {
      sum(counts.wall, time.wall)
      sum(counts.working, time.working)
    },
    result: (): Speed => ({ wall: summarizeContactTimes(counts.wall), working: summarizeContactTimes(counts.working) }),
  }
}

/**
 * Summarizes how many times there are of each code. A percentile lies in the same range as the one by nearest
 * rank, at the place that its rank has there; beyond a year, it is a year.
 */
export function summarizeContactTimes(counts: ReadonlyMap<number, number>): ContactTimes {
  const bands = contactBands.map(() => 0)
  const ranges = new Array<number>(LIMITS.length + 1).fill(0)
  for (const [code, n] of counts) {
    const band = Math.floor(code / BAND)
    bands[band] = (bands[band] ?? 0) + n
    ranges[code % BAND] = (ranges[code % BAND] ?? 0) + n
  }
  const count = ranges.reduce((sum, n) => sum + n, 0)
  return { count, bands, p50: percentile(ranges, count, 50), p95: percentile(ranges, count, 95) }
}

function percentile(ranges: readonly number[], count: number, percent: number): number | null {
  let left = Math.ceil((percent * count) / 100)
  for (const [range, n] of ranges.entries()) {
    if (left > n || n === 0) {
      left -= n
      continue
    }
    const from = LIMITS[range - 1] ?? 0
    const to = LIMITS[range] ?? from
    return Math.round((from + ((to - from) * (left - 0.5)) / n) * MINUTE)
  }
  return null
}
