/** The time of day in which a person likes to be called, within the hours in which the staff may call them. */
import { DAY, type DayPart, HOUR } from '../platform/time.ts'
import type { CallWindow } from './call-window.ts'
import { nextOpening, type Span } from './opening-hours.ts'
import { timeZone } from './time-zones.ts'

const spans: Record<DayPart, Span> = {
  morning: { from: 0, to: 12 * HOUR },
  afternoon: { from: 12 * HOUR, to: 17 * HOUR },
  evening: { from: 17 * HOUR, to: DAY },
}

/** A window that is open while `window` is open and it is that part of the day in the first of a person's zones. */
export function atBestTime(
  bestTime: DayPart,
  zones: readonly string[],
  window: (now: number) => CallWindow,
): (now: number) => CallWindow {
  const [home] = zones
  const [zone, span] = [home === undefined ? undefined : timeZone(home), spans[bestTime]]
  return now => {
    const next = zone && nextOpening(zone, () => [span], now, now + SEARCHED)
    const { open, until } = window(now)
    if (next === undefined) return { open, until }
    if (next.from > now) return { open: false, until: next.from }
    return open ? { open, until: Math.min(until ?? next.to, next.to) } : { open, until }
  }
}

/** Whether a moment is in that part of the day where most people of the place live: in the first of its zones. */
export function isBestTime(bestTime: DayPart, [home]: readonly string[], moment: number): boolean {
  const { from, to } = spans[bestTime]
  const time = home === undefined ? from : timeZone(home).localTime(moment).time
  return from <= time && time < to
}

/** Longer than the gap that any clock change makes. */
const SEARCHED = 2 * DAY
