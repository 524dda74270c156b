/** When the retention rules erase: on the first day of a month, some days after the manager gets a list. */
import { DAY } from '../platform/time.ts'

/** In the last day before the list goes out, nothing is added to what will be erased. */
const SETTLED = 1 * DAY

/** Which people a month's erasure covers: those without any change since these moments; null: no one. */
export type RetentionRule = { eraseAt: number; closedBefore: number | null; enrolledBefore: number | null }

export type RetentionSettings = {
  /** Months; 0: never. */
  closedLeadMonths: number
  enrolledLeadMonths: number
  eraseNoticeDays: number
}

const dayAt = (moment: number, timeZone: string) =>
  Temporal.Instant.fromEpochMilliseconds(moment).toZonedDateTimeISO(timeZone)

/** The first midnight of a month, in the school's time zone, that leaves enough time to send the list before it. */
export function nextErasure(now: number, { eraseNoticeDays }: RetentionSettings, timeZone: string): number {
  let first = dayAt(now, timeZone).with({ day: 1 }).startOfDay()
  const earliest = now + eraseNoticeDays * DAY + SETTLED
  while (first.epochMilliseconds < earliest) first = first.add({ months: 1 }).startOfDay()
  return first.epochMilliseconds
}

/** When the manager gets the list of an erasure. */
export const listAt = (eraseAt: number, { eraseNoticeDays }: RetentionSettings): number =>
  eraseAt - eraseNoticeDays * DAY

export function ruleFor(
  eraseAt: number,
  { closedLeadMonths, enrolledLeadMonths }: RetentionSettings,
  timeZone: string,
): RetentionRule {
  const before = (months: number) =>
    months === 0 ? null : dayAt(eraseAt, timeZone).subtract({ months }).startOfDay().epochMilliseconds
  return { eraseAt, closedBefore: before(closedLeadMonths), enrolledBefore: before(enrolledLeadMonths) }
}

/** The day of an erasure as yyyymmdd, which identifies its list. */
export const numberOfErasure = (eraseAt: number, timeZone: string): number =>
  Number(dayAt(eraseAt, timeZone).toPlainDate().toString().replaceAll('-', ''))
