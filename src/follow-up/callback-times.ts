/** When a callback is due, according to the words of the person who plans it, and when someone is reminded of it. */
import { HOUR, MINUTE } from '../platform/time.ts'
import { callMoment } from './call-moment.ts'
import type { Hours } from './opening-hours.ts'

/**
 * The moment that `when` names: `1h` or `30m` from now; a day and a time (2026-11-24T15:00) in a time zone; or a day,
 * when its hours open. Returns a sentence if that is not a moment within the next year.
 */
export function callbackMoment(
  when: string,
  { hours, timeZone, now }: { hours: Pick<Hours, 'open'>; timeZone: string; now: number },
): number | string {
  const [, count, unit] = /^([1-9]\d{0,2})([mh])$/.exec(when) ?? []
  if (count !== undefined) return now + Number(count) * (unit === 'h' ? HOUR : MINUTE)
  const [day = '', time = ''] = when.split(/[T ]/)
  return callMoment({ day, time }, { hours, timeZone, now })
}

/** How long after its moment the backup and the manager are reminded of a callback, in minutes of school hours. */
const ESCALATED_AFTER = [15, 60]

/** The moments of the emails about a callback: to the person who calls, to the backup, and to the manager. */
export const callbackReminders = (dueAt: number, hours: Hours): number[] => [
  dueAt,
  ...ESCALATED_AFTER.map(minutes => hours.after(dueAt, { days: 0, minutes })),
]
