/** The mornings of the school: when the mail about unattended leads and the digests go out. */
import { DAY } from '../platform/time.ts'
import type { Calendar } from './calendar.ts'

/** When the school opens on a day, and that day as yyyymmdd. */
export type Morning = { day: number; at: number }

/** The first school morning of the week after the week of `now`. */
export function nextWeekAfter(now: number, calendar: Calendar): Morning {
  let midnight = calendar.midnightAfter(now)
  while (!calendar.isMonday(midnight)) midnight = calendar.midnightAfter(midnight)
  return morningFrom(midnight, calendar)
}

/**
 * Whether a morning within the last two weeks, given as yyyymmdd, was the first school morning of its week, or such a
 * morning has come since then, for example while the service was down.
 */
export function hasWeekBegunSince(day: number, now: number, calendar: Calendar): boolean {
  let first = nextWeekAfter(now - 21 * DAY, calendar)
  while (first.day < day) first = nextWeekAfter(first.at, calendar)
  return first.day === day || first.at <= now
}

export function nextMorning(now: number, calendar: Calendar): Morning {
  const today = morningFrom(calendar.startOf(calendar.today(now)), calendar)
  return today.at > now ? today : morningFrom(calendar.midnightAfter(now), calendar)
}

/** When the school first opens after a midnight. */
export function morningFrom(midnight: number, { school, today }: Calendar): Morning {
  const at = school.open(midnight)
  return { day: Number(today(at).replaceAll('-', '')), at }
}
