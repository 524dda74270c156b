/** The opening hours and holidays of the school, as the settings write them. */
import { DAY } from '../time.ts'
import { type Span, type SpansOf, timeOfDay } from './openings.ts'

/** In the order in which a day's number gives its weekday: 1 January 1970 was a Thursday. */
const weekdays = [
  'thursday',
  'friday',
  'saturday',
  'sunday',
  'monday',
  'tuesday',
  'wednesday',
] as const

export type Weekday = (typeof weekdays)[number]

export type SchoolHours = {
  timeZone: string
  /** `closed`, `09:00-17:00` or `09:00-12:00, 13:00-17:00`; an opening may end at 24:00. */
  hours: Record<Weekday, string>
  /** `2026-11-26` once, `12-25` every year (`02-29` where there is one). */
  holidays: readonly string[]
}

/** The spans in which the school is open on a day. Throws a RangeError where a text is not valid. */
export function schoolDays({ hours, holidays }: Omit<SchoolHours, 'timeZone'>): SpansOf {
  const week = weekdays.map(weekday =>
    valid(parseHours(hours[weekday]), hours[weekday], hoursProblem),
  )
  const closed = new Set(
    holidays.map(text => valid(isHoliday(text) ? text : undefined, text, holidayProblem)),
  )
  return day => {
    const date = new Date(day * DAY).toISOString().slice(0, 10)
    if (closed.has(date) || closed.has(date.slice(5))) return []
    return week.at(day % 7) ?? []
  }
}

/** Completes "must be …" where the text is not the opening hours of a day. */
export const hoursProblem = (text: string): string | undefined =>
  parseHours(text) === undefined
    ? "'closed' or opening hours in their order, such as '09:00-17:00' or '09:00-12:00, 13:00-17:00'"
    : undefined

/** Completes "must be …" where the text is not a holiday. */
export const holidayProblem = (text: string): string | undefined =>
  isHoliday(text) ? undefined : "a date such as '2026-11-26' or, for every year, '12-25'"

function parseHours(text: string): Span[] | undefined {
  if (text === 'closed') return []
  const spans: Span[] = []
  for (const part of text.split(',')) {
    const [, opening = '', closing = ''] = /^([^-]*)-([^-]*)$/.exec(part.trim()) ?? []
    const from = timeOfDay(opening)
    const to = timeOfDay(closing)
    if (from === undefined || to === undefined) return undefined
    if (from >= to || from < (spans.at(-1)?.to ?? 0)) return undefined
    spans.push({ from, to })
  }
  return spans
}

function isHoliday(text: string): boolean {
  if (!/^(\d{4}-)?\d\d-\d\d$/.test(text)) return false
  try {
    // 2024 has a 29 February.
    Temporal.PlainDate.from(text.length === 5 ? `2024-${text}` : text)
    return true
  } catch {
    return false
  }
}

function valid<T>(
  parsed: T | undefined,
  text: string,
  problem: (text: string) => string | undefined,
): T {
  if (parsed === undefined) throw new RangeError(`${JSON.stringify(text)} must be ${problem(text)}`)
  return parsed
}
