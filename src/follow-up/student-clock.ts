/**
 * The clock by which students are written to: it runs all the time, but is closed in the quiet
 * hours. A student's state may keep several times; none of them is disturbed.
 */
import { DAY, MINUTE } from '../time.ts'
import type { StepClock } from './clocks.ts'
import { nextOpening, type Span, timeOfDay } from './openings.ts'
import { timeZone } from './time-zone.ts'

/** From when until when nobody is written to, local time: `{ from: '20:00', to: '09:00' }`. */
export type QuietHours = { from: string; to: string }

export type StudentHours = { zones: readonly string[]; quietHours: QuietHours }

/** Longer than the gap that any clock change makes. */
const SEARCHED_DAYS = 8

/**
 * Minutes are exact; days are days of the calendar at the same time of the day in the first zone.
 * Then the step waits until no zone has its quiet hours, which include their first minute and not
 * their last; equal ends mean that there are none.
 *
 * Throws a RangeError at once where a zone or a time is not valid, and from `after` and `open` where
 * within 8 days there is no moment outside of the quiet hours of all zones.
 */
export function studentClock(hours: StudentHours): StepClock {
  const [home] = hours.zones
  if (home === undefined) throw new RangeError('A student needs a time zone')
  const { localTime, momentOf } = timeZone(home)
  const find = commonOpening(hours)

  const open = (moment: number): number => find(moment) ?? neverOpens(hours.zones)
  return {
    open,
    after: (start, { days, minutes }) => {
      const { day, time } = localTime(start)
      const sameTime = days === 0 ? start : momentOf({ day: day + days, time })
      return open(Math.max(start, sameTime + minutes * MINUTE))
    },
  }
}

/**
 * Completes "must be …" where the zones lie so far apart that, at some time of the year from the
 * moment `from` on, it is always quiet in one of them. Throws as studentClock does at once.
 */
export function zonesProblem(hours: StudentHours, from: number): string | undefined {
  const find = commonOpening(hours)
  for (let day = 0; day < 366; day++) {
    if (find(from + day * DAY) === undefined) {
      return 'time zones that have a time outside of the quiet hours in common'
    }
  }
  return undefined
}

/** Finds the first moment, from the given one on, that is outside of the quiet hours of all zones. */
function commonOpening({ zones, quietHours }: StudentHours) {
  const timeZones = zones.map(timeZone)
  const spans = spansOutside(quietHours)
  return (moment: number): number | undefined => {
    const before = moment + SEARCHED_DAYS * DAY
    // Nothing before `at` will do. It moves on until no zone asks for more.
    for (let at = moment; ; ) {
      const earlier = at
      for (const zone of timeZones) {
        const next = nextOpening(zone, () => spans, at, before)
        if (next === undefined) return undefined
        at = next.from
      }
      if (at === earlier) return at
    }
  }
}

function spansOutside(quietHours: QuietHours): Span[] {
  const from = validTime(quietHours.from)
  const to = validTime(quietHours.to)
  const spans =
    from > to
      ? [{ from: to, to: from }]
      : [
          { from: 0, to: from },
          { from: to, to: DAY },
        ]
  return spans.filter(span => span.from < span.to)
}

function validTime(text: string): number {
  const time = timeOfDay(text)
  if (time === undefined) throw new RangeError(`${JSON.stringify(text)} must be a time like 20:00`)
  return time
}

function neverOpens(zones: readonly string[]): never {
  throw new RangeError(
    `Within ${SEARCHED_DAYS} days there is no moment outside of the quiet hours of ${zones.join(', ')}`,
  )
}
