/** The last call: the email to the manager before a lead is closed that no one has tried to reach, and the time to act. */
import type { Calendar } from './calendar.ts'
import { type Morning, morningFrom } from './school-mornings.ts'

/** The mail that warns before a lead is closed, and when it is closed unless someone tries to reach the person. */
export type LastCall = { morning: Morning; closingAt: number }

/**
 * The last call for a lead whose time is over at the moment `now`: in the morning of the next school day,
 * with one working day from then to act.
 */
export function lastCallAfter(now: number, calendar: Calendar): LastCall {
  const morning = morningFrom(calendar.midnightAfter(now), calendar)
  return { morning, closingAt: calendar.school.after(morning.at, { days: 1, minutes: 0 }) }
}
