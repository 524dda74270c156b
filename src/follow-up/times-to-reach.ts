/**
 * How long it took to reach people, as codes that can be counted and added up: each code is for a band that people
 * read, and for a narrow range of durations from which percentiles are computed.
 */
import { MINUTE } from '../platform/time.ts'
import type { Calendar } from './calendar.ts'

/** The bands, in the order of their numbers. In working time, a day is one on which the school opens. */
export const contactBands = ['within 5 min', 'within 1 hour', 'same day', 'next day', 'later'] as const

/**
 * The upper limits of the ranges, in minutes. In the first half hour each minute is a range, so that what people
 * compare is exact; after that, each range is at most a quarter longer than the one before.
 */
const LIMITS = [
  ...Array.from({ length: 30 }, (_, index) => index + 1),
  ...Array.from({ length: 6 }, (_, index) => 35 + 5 * index),
  ...[1.25, 1.5, 1.75, 2, 2.5, 3, 3.5, 4, 5, 6, 7, 8, 10, 12, 14, 16, 18, 20, 24].map(h => h * 60),
  ...[1.25, 1.5, 1.75, 2, 2.5, 3, 3.5, 4, 5, 6, 7, 8, 10, 12, 14, 17, 21, 25, 30].map(d => d * 1440),
  ...[37, 45, 55, 65, 80, 100, 120, 150, 185, 225, 280, 365].map(d => d * 1440),
]

/** The distance between the codes of two bands: more than there are ranges. */
const BAND = 100

type ContactTime = { wall: number; working: number }

/** How long it took to reach some people, in all hours and in those in which the school was open. */
export type Speed = { wall: ContactTimes; working: ContactTimes }

/**
 * The codes of the time between two moments: one for the whole time, and one for the time in which the school was open.
 * The days of working time count from the school's next opening. A contact before `from` counts as a contact without
 * any wait.
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

/** Percentiles are in milliseconds and rounded up, so no figure claims that people were reached sooner. */
export type ContactTimes = {
  count: number
  bands: number[]
  /** Half of all people, reached or not, were reached within this time; null if fewer than half were reached. */
  p50: number | null
  /** 95 % of those who were reached were reached within this time; null if there are none. */
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
    /** `people`: how many there are in all, including those who were not reached. */
    result: (people: number): Speed => ({
      wall: summarizeContactTimes(counts.wall, people),
      working: summarizeContactTimes(counts.working, people),
    }),
  }
}

/**
 * Summarizes how often each code was counted, for this many people in all. Times are counted in ranges: a percentile
 * (nearest rank) is the upper limit of its range, and a year at most.
 */
export function summarizeContactTimes(counts: ReadonlyMap<number, number>, people: number): ContactTimes {
  const bands = contactBands.map(() => 0)
  const ranges = new Array<number>(LIMITS.length + 1).fill(0)
  for (const [code, n] of counts) {
    const band = Math.floor(code / BAND)
    bands[band] = (bands[band] ?? 0) + n
    ranges[code % BAND] = (ranges[code % BAND] ?? 0) + n
  }
  const count = ranges.reduce((sum, n) => sum + n, 0)
  return { count, bands, p50: atRank(ranges, Math.ceil(people / 2)), p95: atRank(ranges, Math.ceil(0.95 * count)) }
}

/** The upper limit of the range that contains the person of this rank, in milliseconds; null if there is none. */
function atRank(ranges: readonly number[], rank: number): number | null {
  if (rank === 0) return null
  let upTo = 0
  for (const [range, n] of ranges.entries()) {
    upTo += n
    if (upTo >= rank) return (LIMITS[range] ?? Math.max(...LIMITS)) * MINUTE
  }
  return null
}
