/** The figures of a simulated month. */
import { addDays, DAY, HOUR } from '../platform/time.ts'
import type { Recipient } from './cadence.ts'
import type { Calendar } from './calendar.ts'
import { timeZone } from './time-zones.ts'
import { contactTime, createSpeed, type Speed } from './times-to-reach.ts'

/** A message. `zone`: where its recipient is, if not at the school. */
export type Sent = { at: number; to: Recipient; by: 'cadence' | 'service'; zone?: string | undefined }

/** Messages per day of the month; `total` also counts those after the month. */
export type Spread = { min: number; median: number; max: number; total: number }

/** How many messages begin in each of the 24 hours of the day. */
export type ByHour = number[]

/** `firstDay` is yyyy-mm-dd in the school's time zone. */
export function spreadOf(
  messages: readonly Sent[],
  calendar: Pick<Calendar, 'today'>,
  { days, firstDay }: { days: number; firstDay: string },
): Spread {
  const month = Array.from({ length: days }, (_, i) => addDays(firstDay, i))
  const perDay = Map.groupBy(messages, ({ at }) => calendar.today(at))
  const counts = month.map(day => perDay.get(day)?.length ?? 0).sort((a, b) => a - b)
  const [min = 0, median = 0, max = 0] = [0, Math.ceil(days / 2) - 1, days - 1].map(i => counts[i])
  return { min, median, max, total: messages.length }
}

/** Counts by the clock where the recipient is; if no zone is given, in the time zone `home`. */
export function byHourOf(messages: readonly Sent[], home: string): ByHour {
  const hours: ByHour = Array.from({ length: 24 }, () => 0)
  for (const [zone, sent] of Map.groupBy(messages, message => message.zone ?? home)) {
    const { localTime } = timeZone(zone)
    for (const { at } of sent) {
      const hour = Math.floor(localTime(at).time / HOUR)
      hours[hour] = (hours[hour] ?? 0) + 1
    }
  }
  return hours
}

/** Within how many days half of the people reached this end; null if there are none. */
export function medianWait(ends: readonly { arrival: number; at: number }[]): number | null {
  const waits = ends.map(({ arrival, at }) => at - arrival).sort((one, other) => one - other)
  const median = waits[Math.ceil(waits.length / 2) - 1]
  return median === undefined ? null : Math.round(median / DAY)
}

export function speedOf(responses: readonly { arrival: number; at: number }[], calendar: Calendar): Speed {
  const reached = createSpeed()
  for (const { arrival, at } of responses) reached.add(contactTime(calendar, arrival, at))
  return reached.result(responses.length)
}
