/** School hours and holidays in words: a day, a holiday, and the differences of a later version. */
import { isDeepStrictEqual } from 'node:util'
import type { Edited } from '../../config/edited-parts.ts'
import { dateInWords, dateTimeFormat, dayInWords } from '../../content/date-format.ts'
import { type Holiday, partsOf } from '../../follow-up/holidays.ts'
import { parseHours, type Weekday } from '../../follow-up/school-hours.ts'

export type Hours = Edited['hours']
export type School = { country: string; timeZone: string }

/** In the order of a week at school. */
export const weekdays: readonly Weekday[] = [
  'monday',
  'tuesday',
  'wednesday',
  'thursday',
  'friday',
  'saturday',
  'sunday',
]

/** The hours of a day, such as `9 AM to 12 PM and 1 PM to 5 PM`, or `closed`. */
export function hoursInWords(text: string, school: School): string {
  const spans = parseHours(text) ?? []
  if (spans.length === 0) return 'closed'
  return spans.map(({ from, to }) => `${timeOfDay(from, school)} to ${timeOfDay(to, school)}`).join(' and ')
}

/** A time of day, in milliseconds since midnight, as `9 AM` or `9:30 AM`. */
export function timeOfDay(time: number, { country }: School): string {
  const format = dateTimeFormat(`en-${country}`, { hour: 'numeric', minute: '2-digit', timeZone: 'UTC' })
  return format
    .format(time)
    .replaceAll('\u202f', ' ')
    .replace(/:00(?= [AP]M)/, '')
}

/** A holiday, such as `Thanksgiving (November 26, 2026)` or `December 24 to January 2 of every year`. */
export function holidayInWords(holiday: Holiday, school: School): string {
  const { date, until, name } = partsOf(holiday)
  const days =
    until === undefined || until === date
      ? inWords(date, school)
      : `${inWords(date, school)} to ${inWords(until, school)}`
  const when = date.length === 5 ? `${days} of every year` : days
  return name === undefined ? when : `${name} (${when})`
}

const inWords = (date: string, school: School): string =>
  date.length === 5 ? dayInWords(`2024-${date}`, school) : dateInWords(date, school)

/** The differences of a later version, one sentence for each change. */
export function hoursDifferences(before: Hours, after: Hours, school: School): string[] {
  const without = (all: readonly Holiday[], others: readonly Holiday[]) =>
    all.filter(one => !others.some(other => isDeepStrictEqual(partsOf(one), partsOf(other))))
  return [
    ...weekdays
      .map(day => ({ day, was: hoursInWords(before.hours[day], school), is: hoursInWords(after.hours[day], school) }))
      .filter(({ was, is }) => was !== is)
      .map(({ day, was, is }) => `${weekdayName(day)}: ${is} instead of ${was}.`),
    ...without(before.holidays, after.holidays).map(one => `No longer a holiday: ${holidayInWords(one, school)}.`),
    ...without(after.holidays, before.holidays).map(one => `New holiday: ${holidayInWords(one, school)}.`),
  ]
}

export const weekdayName = (day: Weekday): string => `${day[0]?.toUpperCase()}${day.slice(1)}`
