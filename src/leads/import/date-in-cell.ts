/** The dates of lists, as spreadsheets and people write them. */
import { DAY } from '../../platform/time.ts'
import type { ListValues } from './list-values.ts'

/** Countries in which 3/4/2026 is March 4. */
const MONTH_FIRST = ['US', 'PR', 'GU', 'AS', 'VI', 'MP', 'PH', 'CA']

/** Day 0 in spreadsheets that store dates as numbers: December 30, 1899. */
const SPREADSHEET_EPOCH = -25_569

/**
 * The moment of a date as lists write it: 2026-10-03, 10/3/2026, 3.10.2026, Oct 3, 2026, or the number of a
 * spreadsheet. It is noon at the school on that day, but not later than now. Undefined for anything else, for the
 * future, and for dates before 1990.
 */
export function momentOfDate(text: string, { country, noonOf }: ListValues, now: number): number | undefined {
  const day = dayIn(text.trim(), country)
  if (day === undefined || day < Date.UTC(1990) / DAY) return undefined
  const noon = noonOf(day)
  return noon > now + DAY ? undefined : Math.min(noon, now)
}

/** A date in the form that is stored, such as 2026-10-03, whether past or future; undefined for anything else. */
export function dateInCell(text: string, country: string): string | undefined {
  const day = dayIn(text.trim(), country)
  const date = day === undefined ? '' : (new Date(day * DAY).toJSON() ?? '')
  return /^\d{4}-/.test(date) ? date.slice(0, 10) : undefined
}

function dayIn(text: string, country: string): number | undefined {
  if (/^[2-6]\d{4}([.,]\d+)?$/.test(text)) return Number.parseInt(text, 10) + SPREADSHEET_EPOCH
  const [, year, month, date] = /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?!\d)/.exec(text) ?? []
  if (year !== undefined) return dayOf(Number(year), Number(month), Number(date))
  const [, first = '', sign, second = '', last = ''] = /^(\d{1,2})([-/.])(\d{1,2})\2(\d{4}|\d\d)(?!\d)/.exec(text) ?? []
  if (sign !== undefined) {
    const monthFirst = Number(second) > 12 || (sign !== '.' && Number(first) <= 12 && MONTH_FIRST.includes(country))
    const [m, d] = monthFirst ? [first, second] : [second, first]
    return dayOf(last.length === 2 ? 2000 + Number(last) : Number(last), Number(m), Number(d))
  }
  const parsed = /^[a-z\d ,.]*[a-z]{3}[a-z\d ,.]*$/i.test(text) ? Date.parse(`${text} UTC`) : Number.NaN
  return Number.isNaN(parsed) ? undefined : Math.floor(parsed / DAY)
}

function dayOf(year: number, month: number, date: number): number | undefined {
  const day = Date.UTC(year, month - 1, date) / DAY
  const read = new Date(day * DAY)
  return read.getUTCMonth() === month - 1 && read.getUTCDate() === date ? day : undefined
}
