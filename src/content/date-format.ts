/** Dates and durations as people say them, in the school's country and time zone. */
import { inDigits } from '../leads/body/tidy-text.ts'
import { DAY, HOUR, MINUTE, SECOND } from '../platform/time.ts'

const formats = new Map<string, Intl.DateTimeFormat>()

/** The format with these options. Each format is made only once, because that takes much longer than using it. */
export function dateTimeFormat(locale: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = JSON.stringify([locale, options])
  const format = formats.get(key) ?? new Intl.DateTimeFormat(locale, options)
  formats.set(key, format)
  return format
}

/** Makes a function that writes a moment as `Saturday, November 21, 2026 at 2:15 AM EST`. */
export function createDateFormat({ timeZone, country }: { timeZone: string; country: string }) {
  const format = dateTimeFormat(`en-${country}`, {
    weekday: 'long',
    year: 'numeric',
    month: 'long',
    day: 'numeric',
    hour: 'numeric',
    minute: '2-digit',
    timeZoneName: 'short',
    timeZone,
  })
  // Some mail programs show the narrow space before AM and PM as a box.
  return (time: number): string => format.format(time).replaceAll('\u202f', ' ')
}

/** The name of the school's time zone all year, such as `Central Time`. */
export function timeZoneInWords({ timeZone, country }: { timeZone: string; country: string }): string {
  const parts = dateTimeFormat(`en-${country}`, { timeZone, timeZoneName: 'longGeneric' }).formatToParts()
  return parts.find(({ type }) => type === 'timeZoneName')?.value ?? timeZone
}

/**
 * Makes a function that writes a moment in few words, as seen from another moment: `today, 3:25 PM`; `Tuesday, 3:30 PM`
 * within the last week; otherwise `Nov 3, 3:30 PM`, with the year if it is another one.
 */
export function createShortDateFormat({ timeZone, country }: { timeZone: string; country: string }) {
  const locale = `en-${country}`
  const time = dateTimeFormat(locale, { hour: 'numeric', minute: '2-digit', timeZone })
  const weekday = dateTimeFormat(locale, { weekday: 'long', timeZone })
  const day = dateTimeFormat(locale, { month: 'short', day: 'numeric', timeZone })
  const withYear = dateTimeFormat(locale, { year: 'numeric', month: 'short', day: 'numeric', timeZone })
  const iso = dateTimeFormat('sv-SE', { timeZone })
  /** The number of the calendar day, counted from a fixed day. */
  const dayNumber = (moment: number) => Date.parse(iso.format(moment)) / DAY
  const dayOf = (moment: number, now: number): string => {
    const ahead = dayNumber(moment) - dayNumber(now)
    if (ahead === 0) return 'today'
    if (ahead === 1) return 'tomorrow'
    if (ahead === -1) return 'yesterday'
    if (Math.abs(ahead) < 7) return weekday.format(moment)
    const sameYear = iso.format(moment).slice(0, 4) === iso.format(now).slice(0, 4)
    return (sameYear ? day : withYear).format(moment)
  }
  return (moment: number, now: number): string =>
    `${dayOf(moment, now)}, ${time.format(moment)}`.replaceAll('\u202f', ' ')
}

/**
 * A future moment, in a language of the school and in the time zone that `time` names: how many days ahead it is;
 * `Monday`, with the date if it is not within a week; and `9:30 AM EST`, which stays on one line.
 */
export function momentAhead(
  moment: number,
  { now, language, school }: { now: number; language: string; school: { timeZone: string; country: string } },
): { days: number; day: string; time: string } {
  const { timeZone, country } = school
  const format = (options: Intl.DateTimeFormatOptions) =>
    dateTimeFormat(`${language}-${country}`, { ...options, timeZone }).format(moment)
  const iso = dateTimeFormat('sv-SE', { timeZone })
  const days = (Date.parse(iso.format(moment)) - Date.parse(iso.format(now))) / DAY
  const time = format({ hour: 'numeric', minute: '2-digit', timeZoneName: 'short' }).replaceAll(/[\u202f ]/g, '\u00a0')
  return {
    days,
    day: format(days < 7 ? { weekday: 'long' } : { weekday: 'long', month: 'long', day: 'numeric' }),
    time,
  }
}

/** The day of a moment, as `December 3, 2026`. */
export const dateOf = (moment: number, { timeZone, country }: { timeZone: string; country: string }): string =>
  dateTimeFormat(`en-${country}`, { dateStyle: 'long', timeZone }).format(moment)

/** A day, yyyy-mm-dd, as `December 3, 2026`. */
export const dateInWords = (day: string, { country }: { country: string }): string =>
  dateTimeFormat(`en-${country}`, { dateStyle: 'long', timeZone: 'UTC' }).format(Date.parse(day))

/** A day of these weeks, yyyy-mm-dd, as `December 3`. */
export const dayInWords = (day: string, { country }: { country: string }): string =>
  dateTimeFormat(`en-${country}`, { month: 'long', day: 'numeric', timeZone: 'UTC' }).format(Date.parse(day))

/** The day of a moment, as `Thursday, December 3`. */
export const weekdayInWords = (moment: number, { timeZone, country }: { timeZone: string; country: string }): string =>
  dateTimeFormat(`en-${country}`, { weekday: 'long', month: 'long', day: 'numeric', timeZone }).format(moment)

/** A day, yyyy-mm-dd, as `December 3`; with its year if that is not the year of `today`. */
export const dayAsOf = (day: string, today: string, school: { country: string }): string =>
  (day.slice(0, 4) === today.slice(0, 4) ? dayInWords : dateInWords)(day, school)

const units = [
  ['day', DAY],
  ['hour', HOUR],
  ['minute', MINUTE],
] as const

/** `3 hours`: rounded down, in the largest unit that the duration reaches. */
export function durationInWords(milliseconds: number): string {
  const fitting = units.find(([, length]) => milliseconds >= length)
  if (fitting === undefined) return 'less than a minute'
  const [unit, length] = fitting
  const count = Math.floor(milliseconds / length)
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}

/** A duration of `follow-up/times-to-reach.ts`, rounded up: `12 min`, `2.5 h`, or `–` for none. Never in days. */
export function roughly(milliseconds: number | null): string {
  if (milliseconds === null) return '–'
  if (milliseconds < HOUR) return `${Math.max(1, Math.ceil(milliseconds / MINUTE))} min`
  const hours = milliseconds / HOUR
  return `${hours < 10 ? Math.ceil(hours * 2) / 2 : inDigits(Math.ceil(hours))} h`
}

/** A length of time: `40 s`, `12 min`, `26 h 10 min`. Never in days: school hours have no full days. */
export function shortDuration(milliseconds: number): string {
  if (milliseconds < MINUTE) return `${Math.floor(milliseconds / SECOND)} s`
  const minutes = Math.floor(milliseconds / MINUTE)
  if (milliseconds < HOUR) return `${minutes} min`
  const remainder = minutes % 60 === 0 ? '' : ` ${minutes % 60} min`
  return `${Math.floor(minutes / 60)} h${remainder}`
}
