/** The moment by which the school can promise to call someone who writes now: after the last reminder to its staff. */
import { MINUTE } from '../platform/time.ts'
import type { Place } from './area-codes.ts'
import { isBestTime } from './best-time.ts'
import { type Cadence, delayOf, nominalMinutes, templateOf, trackOf } from './cadence.ts'
import type { Calendar } from './calendar.ts'

/** People say "half past ten", not "10:25". */
const ROUNDED = 30 * MINUTE

/**
 * The moment is in school hours in which the person may be called, at the time that they like best, and is rounded up
 * to the half hour. Undefined if no one is reminded, or the school cannot call at the time that the person likes.
 */
export function calledBy(
  now: number,
  { cadence, calendar, place }: { cadence: Cadence; calendar: Calendar; place: Place },
): number | undefined {
  const reminders = cadence.filter(step => trackOf(step) === 'staff' && templateOf(step) !== undefined)
  const [last] = reminders.map(delayOf).toSorted((a, b) => nominalMinutes(b) - nominalMinutes(a))
  if (last === undefined) return undefined
  const by = calendar.hoursFor(place).school.after(now, last)
  // If the time that the person likes does not come soon in school hours, `hoursFor` ignores it, so we cannot promise
  // it.
  if (place.bestTime && !isBestTime(place.bestTime, calendar.zonesOf(place).zones, by)) return undefined
  return Math.ceil(by / ROUNDED) * ROUNDED
}
