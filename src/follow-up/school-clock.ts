/**
 * The clock by which the school's people work: it runs while the school is open, and its days are
 * the days on which the school opens.
 */
import { DAY, MINUTE } from '../time.ts'
import type { StepClock } from './clocks.ts'
import type { Delay } from './delay.ts'
import { nextOpening, type Opening } from './openings.ts'
import { type SchoolHours, schoolDays } from './school-hours.ts'
import { timeZone } from './time-zone.ts'

/** A school that stays closed for longer is taken for one that never opens. */
const LONGEST_CLOSURE_DAYS = 400

export type SchoolClock = StepClock & {
  /** For how long the school is open between two moments, in milliseconds; 0 if `to` <= `from`. */
  elapsed(from: number, to: number): number
}

/**
 * Minutes count while the school is open; the moment at which it closes belongs to the closed time.
 *
 * Days are those on which it opens: a step one day after Friday 10:00 comes on Monday at 10:00. What
 * starts while the school is closed counts from its next opening. Where it is closed at that time of
 * the day, the step waits for the next opening of the day; after the last one, it comes a minute
 * before the closing. Minutes after days are counted in the same way; minutes to be taken off are
 * taken off the wall clock.
 *
 * Throws a RangeError at once where a text or the time zone is not valid, and from `after` and
 * `open` where the school does not open for 400 days.
 */
export function schoolClock(school: SchoolHours): SchoolClock {
  const zone = timeZone(school.timeZone)
  const spansOf = schoolDays(school)

  const opening = (moment: number): Opening =>
    nextOpening(zone, spansOf, moment, moment + LONGEST_CLOSURE_DAYS * DAY) ?? neverOpens()

  const open = (moment: number): number => opening(moment).from

  const afterMinutes = (start: number, minutes: number): number => {
    let left = minutes * MINUTE
    for (let { from, to } = opening(start); ; { from, to } = opening(to)) {
      if (left < to - from) return from + left
      left -= to - from
    }
  }

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
    after: (start: number, { days, minutes }: Delay) => {
      const at = days === 0 ? start : afterDays(start, days)
      return minutes >= 0 ? afterMinutes(at, minutes) : open(Math.max(start, at + minutes * MINUTE))
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
