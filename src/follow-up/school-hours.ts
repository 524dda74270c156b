/** The hours in which the school's people work: its opening hours and holidays, as the settings write them. */
import { DAY, MINUTE, utcDay } from '../platform/time.ts'
import type { Delay } from './cadence.ts'
import { daysOfHoliday, type Holiday, holidayProblem, partsOf } from './holidays.ts'
import {
  afterOpenMinutes,
  type Hours,
  nextOpening,
  type Opening,
  type Span,
  type SpansOf,
  timeOfDay,
} from './opening-hours.ts'
import { timeZone } from './time-zones.ts'

/** The order in which a day's number gives its weekday: 1 January 1970 was a Thursday. */
const weekdays = ['thursday', 'friday', 'saturday', 'sunday', 'monday', 'tuesday', 'wednesday'] as const

export type Weekday = (typeof weekdays)[number]

export type SchoolWeek = {
  timeZone: string
  /** `closed`, `09:00-17:00` or `09:00-12:00, 13:00-17:00`; an opening may end at 24:00. */
  hours: Record<Weekday, string>
  holidays: readonly Holiday[]
}

/** A school that stays closed for longer than this counts as one that never opens. */
const LONGEST_CLOSURE_DAYS = 400

export type SchoolHours = Hours & {
  /** The span in which the school is open at that moment, from that moment on; otherwise the next span. */
  opening(moment: number): Opening
  /** How long the school is open between two moments, in milliseconds; 0 if `to` <= `from`. */
  elapsed(from: number, to: number): number
}

/**
 * Minutes count while the school is open; the moment at which it closes belongs to the closed time.
 *
 * Only days on which it opens count: a step one day after Friday 10:00 comes on Monday at 10:00. A delay that starts
 * while the school is closed counts from its next opening. If the school is closed at that time of the day, the step
 * waits for the next opening of the day; after the last one, it comes a minute before the closing. Minutes after days
 * are counted in the same way; negative minutes are subtracted from the wall clock.
 *
 * Throws a RangeError immediately if a text or the time zone is not valid, and from `after` and `open` if the school
 * does not open for 400 days.
 */
export function schoolHours(school: SchoolWeek): SchoolHours {
  const zone = timeZone(school.timeZone)
  const spansOf = schoolDays(school)

  const opening = (moment: number): Opening =>
    nextOpening(zone, spansOf, moment, moment + LONGEST_CLOSURE_DAYS * DAY) ?? neverOpens()

  const open = (moment: number): number => opening(moment).from

  const afterDays = (start: number, days: number): number => {
    let { day, time } = zone.localTime(open(start))
    for (let left = days; left > 0; left--) day = nextOpenDay(day)
    const closing = spansOf(day).at(-1)?.to ?? neverOpens()
    return open(zone.momentOf({ day, time: time < closing ? time : closing - MINUTE }))
  }

  const nextOpenDay = (day: number): number => {
    for (let next = day + 1; next <= day + LONGEST_CLOSURE_DAYS; next++) {
      if (spansOf(next).length > 0) return next
    }
    return neverOpens()
  }

  return {
    open,
    opening,
    after: (start: number, { days, minutes }: Delay) => {
      const at = days === 0 ? start : afterDays(start, days)
      return minutes >= 0 ? afterOpenMinutes(opening, at, minutes) : open(Math.max(start, at + minutes * MINUTE))
    },
    elapsed: (from: number, to: number) => {
      let total = 0
      for (
        let next = nextOpening(zone, spansOf, from, to);
        next !== undefined;
        next = nextOpening(zone, spansOf, next.to, to)
      ) {
        total += Math.min(next.to, to) - next.from
      }
      return total
    },
  }
}

function neverOpens(): never {
  throw new RangeError(`The school does not open for ${LONGEST_CLOSURE_DAYS} days`)
}

/** The spans in which the school is open on a day. Throws a RangeError if a text is not valid. */
export function schoolDays({ hours, holidays }: Omit<SchoolWeek, 'timeZone'>): SpansOf {
  const week = weekdays.map(weekday => valid(parseHours(hours[weekday]), hours[weekday], hoursProblem))
  const closed = new Set(
    holidays.flatMap(holiday => {
      const { date, until = date } = partsOf(holiday)
      for (const text of [date, until])
        valid(holidayProblem(text) === undefined ? text : undefined, text, holidayProblem)
      return daysOfHoliday(holiday)
    }),
  )
  return day => {
    const date = utcDay(day * DAY)
    if (closed.has(date) || closed.has(date.slice(5))) return []
    return week.at(day % 7) ?? []
  }
}

/** Completes "must be …" if the text is not the opening hours of a day. */
export const hoursProblem = (text: string): string | undefined =>
  parseHours(text) === undefined
    ? "'closed' or opening hours in their order, such as '09:00-17:00' or '09:00-12:00, 13:00-17:00'"
    : undefined

/** The spans of a day, in their order; undefined if the text is not valid. */
export function parseHours(text: string): Span[] | undefined {
  if (text === 'closed') return []
  const spans: Span[] = []
  for (const part of text.split(',')) {
    const [, opening = '', closing = ''] = /^([^-]*)-([^-]*)$/.exec(part.trim()) ?? []
    const from = timeOfDay(opening)
    const to = timeOfDay(closing)
    if (from === undefined || to === undefined) return undefined
    if (from >= to || from < (spans.at(-1)?.to ?? 0)) return undefined
    spans.push({ from, to })
  }
  return spans
}

function valid<T>(parsed: T | undefined, text: string, problem: (text: string) => string | undefined): T {
  if (parsed === undefined) throw new RangeError(`${JSON.stringify(text)} must be ${problem(text)}`)
  return parsed
}
