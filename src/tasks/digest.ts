/** When the daily digest is due: pure arithmetic over a time zone. */
import { timeZone as zoneOf } from '../follow-up/time-zones.ts'
import { DAY, MINUTE } from '../time.ts'

/**
 * The next moment after `now` at which it is `hour` o'clock in the time zone, and the day there as
 * yyyymmdd. On the day on which a clock change skips that hour, the digest waits for the next day;
 * where the change repeats it, the first time counts.
 */
export function nextDigest(
  now: number,
  timeZone: string,
  hour: number,
): { day: number; dueAt: number } {
  const zone = zoneOf(timeZone)
  const time = hour * 60 * MINUTE
  for (let { day } = zone.localTime(now); ; day++) {
    const dueAt = zone.momentOf({ day, time })
    if (dueAt <= now) continue
    const there = zone.localTime(dueAt)
    if (there.day === day && there.time === time) return { day: dateOf(day), dueAt }
  }
}

const dateOf = (day: number): number =>
  Number(new Date(day * DAY).toISOString().slice(0, 10).replaceAll('-', ''))
