/** Leads as columns of a chart: per day or, in longer ranges, per week or month. */
import { dateTimeFormat, dayInWords } from '../../content/date-format.ts'
import type { Insight } from '../../store/insight/insight.ts'
import type { InsightRange } from './range.ts'

export type Period = {
  /** The first and the last day that count, yyyy-mm-dd. */
  from: string
  to: string
  student: number
  site: number
}

export type Periods = { unit: 'day' | 'week' | 'month'; periods: Period[] }

/** The longest ranges with a column for each day and for each week, in days: more columns would be too narrow to see. */
const MOST_DAYS = 92
const MOST_WEEKS = 2 * 366

/** The periods of a range, even those in which no one wrote. The first and the last may be shorter. */
export function periodsOf({ from, to }: Pick<InsightRange, 'from' | 'to'>, insight: Pick<Insight, 'days'>): Periods {
  const [first, last] = [Temporal.PlainDate.from(from), Temporal.PlainDate.from(to)]
  const days = first.until(last).days + 1
  const unit = days <= MOST_DAYS ? 'day' : days <= MOST_WEEKS ? 'week' : 'month'
  const periods: Period[] = []
  for (let day = first; Temporal.PlainDate.compare(day, last) <= 0; ) {
    const next = unit === 'month' ? day.with({ day: 1 }).add({ months: 1 }) : day.add({ [`${unit}s`]: 1 })
    const end = next.subtract({ days: 1 })
    const until = Temporal.PlainDate.compare(end, last) < 0 ? end : last
    periods.push({ from: day.toString(), to: until.toString(), student: 0, site: 0 })
    day = next
  }
  let at = 0
  for (const { day, kind, leads } of insight.days) {
    while (day > (periods[at]?.to ?? day)) at++
    const period = periods[at]
    if (period !== undefined) period[kind] += leads
  }
  return { unit, periods }
}

/** `Nov 3`, or for a month `Nov 2026`. */
export function shortLabel(day: string, unit: Periods['unit'], { country }: { country: string }): string {
  const format = unit === 'month' ? ({ year: 'numeric' } as const) : ({ day: 'numeric' } as const)
  return dateTimeFormat(`en-${country}`, { month: 'short', timeZone: 'UTC', ...format }).format(Date.parse(day))
}

/** `November 3`, `November 3 to November 9`. */
export const periodInWords = ({ from, to }: Period, school: { country: string }): string =>
  from === to ? dayInWords(from, school) : `${dayInWords(from, school)} to ${dayInWords(to, school)}`
