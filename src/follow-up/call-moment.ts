/** The moment that someone names for a call or an email: a day, perhaps with a time of day. */
import { DAY } from '../platform/time.ts'
import type { Hours } from './opening-hours.ts'

/** The latest moment, in milliseconds from now: about a year. */
const LONGEST = 366 * DAY

/**
 * The moment of a day (yyyy-mm-dd) and a time (hh:mm) in a time zone. Without a time, the moment when the hours next
 * open, from that day on. Returns a sentence if that is not a moment within the next year.
 */
export function callMoment(
  { day, time }: { day: string; time: string },
  { hours, timeZone, now }: { hours: Pick<Hours, 'open'>; timeZone: string; now: number },
): number | string {
  let moment: number
  try {
    const local = Temporal.PlainDateTime.from(`${day}T${time || '00:00'}`)
    moment = local.toZonedDateTime(timeZone).epochMilliseconds
  } catch {
    return 'Choose a day.'
  }
  const due = time === '' ? hours.open(moment) : moment
  if (due <= now) return 'Choose a day, and a time that has not passed.'
  return due - now > LONGEST ? 'Choose a day within the next year.' : due
}
