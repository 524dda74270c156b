/** When staff may call a person: outside the quiet hours in every time zone of their state. */
import { DAY } from '../platform/time.ts'
import { nextOpening } from './opening-hours.ts'
import { quietSpans, type StudentQuietHours, studentHours } from './student-hours.ts'
import { timeZone } from './time-zones.ts'

export type CallWindow = {
  open: boolean
  /** When that ends or, if staff may not call now, when they next may; null if there are no quiet hours. */
  until: number | null
}

/** Throws a RangeError as `studentHours` does. */
export function callWindows(quiet: StudentQuietHours): (now: number) => CallWindow {
  const hours = studentHours(quiet)
  const zones = quiet.zones.map(timeZone)
  const spans = quietSpans(quiet.quietHours)
  return now => {
    const opens = hours.open(now)
    if (opens > now) return { open: false, until: opens }
    const ends = zones.flatMap(zone => nextOpening(zone, () => spans, now, now + SEARCHED)?.from ?? [])
    return { open: true, until: ends.length === 0 ? null : Math.min(...ends) }
  }
}

/** Longer than the gap that any clock change makes. */
const SEARCHED = 2 * DAY
