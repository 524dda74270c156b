/** The hours in which students get emails: all except the quiet hours, in each of their state's time zones. */
import { DAY, MINUTE } from '../platform/time.ts'
import { type Hours, nextOpening, type Span, timeOfDay } from './opening-hours.ts'
import { timeZone } from './time-zones.ts'

/** The local times between which no student gets an email: `{ from: '20:00', to: '09:00' }`. */
export type QuietHours = { from: string; to: string }

export type StudentQuietHours = { zones: readonly string[]; quietHours: QuietHours }

/** Longer than the gap that any clock change makes. */
const SEARCHED_DAYS = 8

/**
 * Minutes are exact; days are calendar days, at the same time of day in the first zone. The step then waits until no
 * zone has quiet hours. Quiet hours include their first minute but not their last; if both ends are equal, there are
 * none.
 *
 * Throws a RangeError immediately if a zone or a time is not valid, and from `after` and `open` if no moment within 8
 * days is outside the quiet hours of all zones.
 */
export function studentHours(quiet: StudentQuietHours): Hours {
  const [home] = quiet.zones
  if (home === undefined) throw new RangeError('A student needs a time zone')
  const { localTime, momentOf } = timeZone(home)
  const find = commonOpening(quiet)

  const open = (moment: number): number => find(moment) ?? neverOpens(quiet.zones)
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
 * Completes "must be …" if the zones lie so far apart that, at some time of the year from the moment `from` on, it is
 * always quiet in one of them. Throws immediately, as studentHours does.
 */
export function zonesProblem(quiet: StudentQuietHours, from: number): string | undefined {
  const find = commonOpening(quiet)
  for (let day = 0; day < 366; day++) {
    if (find(from + day * DAY) === undefined) {
      return 'time zones that have a time outside the quiet hours in common'
    }
  }
  return undefined
}

/** Finds the first moment, at or after the given moment, that is outside the quiet hours of all zones. */
function commonOpening({ zones, quietHours }: StudentQuietHours) {
  const timeZones = zones.map(timeZone)
  const spans = spansOutside(quietHours)
  return (moment: number): number | undefined => {
    const before = moment + SEARCHED_DAYS * DAY
    // No moment before `at` is open in all zones. `at` moves forward until no zone moves it further.
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

const spansOutside = ({ from, to }: QuietHours): Span[] => spansBetween(to, from)

/** The parts of a day in which the quiet hours lie; none if both ends are equal. */
export const quietSpans = ({ from, to }: QuietHours): Span[] => (from === to ? [] : spansBetween(from, to))

/** The parts of a day from `first` until before `last`; past midnight if `last` is the earlier time. */
function spansBetween(first: string, last: string): Span[] {
  const [from, to] = [validTime(first), validTime(last)]
  const spans =
    from < to
      ? [{ from, to }]
      : [
          { from: 0, to },
          { from, to: DAY },
        ]
  return spans.filter(span => span.from < span.to)
}

function validTime(text: string): number {
  const time = timeOfDay(text)
  if (time === undefined) throw new RangeError(`${JSON.stringify(text)} must be a time like 20:00`)
  return time
}

function neverOpens(zones: readonly string[]): never {
  throw new RangeError(`No moment within ${SEARCHED_DAYS} days is outside the quiet hours of ${zones.join(', ')}`)
}
