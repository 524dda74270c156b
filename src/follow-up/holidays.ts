/** Holidays, as the settings write them: days on which the school is closed. */
import { DAY, utcDay } from '../platform/time.ts'

/** `2026-11-26` once, `12-25` every year (`02-29` in years that have one). */
type HolidayDate = string

/** A day, or the days from `date` to `until`, inclusive. Holidays of every year may continue into the next year. */
export type Holiday = HolidayDate | { date: HolidayDate; until?: HolidayDate | undefined; name?: string | undefined }

/** The longest holiday, in days: a longer one would be a mistake, and each day takes memory. */
const LONGEST = 366

/** Any leap year. Holidays of every year are placed in it, and may continue into the next year. */
const LEAP_YEAR = 2024

/** Completes "must be …" if the text is not the date of a holiday. */
export const holidayProblem = (text: string): string | undefined =>
  dayNumber(text) === undefined ? "a date such as '2026-11-26' or, for every year, '12-25'" : undefined

/** Completes "must be …" if a holiday whose dates are valid does not end as it should. */
export function endProblem(holiday: Holiday): string | undefined {
  const { date, until = date } = partsOf(holiday)
  if (isYearly(date) !== isYearly(until)) return `a day ${isYearly(date) ? 'without' : 'with'} its year, as date is`
  const days = lengthOf(date, until)
  if (days < 1) return `${date} or later`
  return days > LONGEST ? `at most ${LONGEST} days after ${date}` : undefined
}

/** The days of a valid holiday, in its own notation: with the year, or without it for every year. */
export function daysOfHoliday(holiday: Holiday): string[] {
  const { date, until = date } = partsOf(holiday)
  const first = dayNumber(date) ?? 0
  return Array.from({ length: lengthOf(date, until) }, (_, i) => {
    const day = utcDay((first + i) * DAY)
    return isYearly(date) ? day.slice(5) : day
  })
}

export const partsOf = (holiday: Holiday): Exclude<Holiday, string> =>
  typeof holiday === 'string' ? { date: holiday } : holiday

const isYearly = (date: string): boolean => date.length === 5

function lengthOf(date: string, until: string): number {
  const [from, to] = [dayNumber(date) ?? 0, dayNumber(until) ?? 0]
  return isYearly(date) && to < from ? to - from + LONGEST + 1 : to - from + 1
}

/** The number of the day, counted from 1 January 1970; undefined if the text is not a date. */
function dayNumber(text: string): number | undefined {
  if (!/^(\d{4}-)?\d\d-\d\d$/.test(text)) return undefined
  try {
    const date = Temporal.PlainDate.from(isYearly(text) ? `${LEAP_YEAR}-${text}` : text)
    return Date.UTC(date.year, date.month - 1, date.day) / DAY
  } catch {
    return undefined
  }
}
