/** How the commands print: tables for people, JSON and CSV for programs. */
import { Option } from 'commander'
import { stringify } from 'csv-stringify/sync'
import { CommandFailed } from './command-failed.ts'
import { terminal } from './terminal.ts'

export type Format = 'table' | 'json' | 'csv'
export type Row = Record<string, string | number | null>

export const formatOption = (fallback: Format) =>
  new Option('--format <format>', 'how to print')
    .choices(['table', 'json', 'csv'])
    .default(fallback)

export function print(text: string): void {
  terminal().stdout.write(`${text}\n`)
}

/** Prints rows that all have the columns of the first. `empty` stands for a table without rows. */
export function printRows(rows: Row[], format: Format, empty: string): void {
  if (format === 'json') print(JSON.stringify(rows, null, 2))
  else if (format === 'csv') terminal().stdout.write(csv(rows, true))
  else print(rows.length > 0 ? table(rows) : empty)
}

/**
 * Rows as CSV with a header line on request. Cells that a spreadsheet would take for a formula are
 * quoted away with a leading apostrophe (OWASP ASVS 5.0, 1.2.10).
 */
export function csv(rows: Row[], header: boolean): string {
  return stringify(rows, { header, escape_formulas: true })
}

/** Rows as a table for people: all have the columns of the first, and there is at least one. */
export function table(rows: Row[]): string {
  const columns = Object.keys(rows[0] ?? {})
  const lines = [columns, ...rows.map(row => columns.map(column => cell(row[column] ?? '')))]
  const widths = columns.map((_, i) => Math.max(...lines.map(line => line[i]?.length ?? 0)))
  return lines
    .map(line =>
      line
        .map((text, i) => text.padEnd(widths[i] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

const cell = (value: string | number): string => {
  const text = String(value).replace(/\s+/g, ' ')
  return text.length > 60 ? `${text.slice(0, 59)}…` : text
}

/** A moment as people and programs both read it. */
export const moment = (milliseconds: number): string =>
  `${new Date(milliseconds).toISOString().slice(0, 19)}Z`

/** A moment as the clocks of a time zone show it: `Sat 2026-11-21 15:00 EST`. */
export function localMoment(milliseconds: number, timeZone: string): string {
  const format = new Intl.DateTimeFormat('en-US', {
    ...{ weekday: 'short', year: 'numeric', month: '2-digit', day: '2-digit' },
    ...{ hour: '2-digit', minute: '2-digit', hourCycle: 'h23', timeZoneName: 'short' },
    timeZone,
  })
  const parts = new Map(format.formatToParts(milliseconds).map(({ type, value }) => [type, value]))
  const [weekday, year, month, day, hour, minute, zone] = (
    ['weekday', 'year', 'month', 'day', 'hour', 'minute', 'timeZoneName'] as const
  ).map(part => parts.get(part))
  return `${weekday} ${year}-${month}-${day} ${hour}:${minute} ${zone}`
}

/** A length of time: `40 s`, `12 min`, `26 h 10 min`. Without days, which are no length in opening hours. */
export function duration(milliseconds: number): string {
  const minutes = Math.floor(milliseconds / 60_000)
  if (minutes < 1) return `${Math.floor(milliseconds / 1000)} s`
  if (minutes < 60) return `${minutes} min`
  const rest = minutes % 60 === 0 ? '' : ` ${minutes % 60} min`
  return `${Math.floor(minutes / 60)} h${rest}`
}

/** Reads a day of the calendar, yyyy-mm-dd. Throws CommandFailed. */
export function parseDay(text: string): string {
  const date = /^\d{4}-\d{2}-\d{2}$/.test(text) ? new Date(text) : undefined
  // There is no 31 November, yet a Date takes it for 1 December.
  if (date === undefined || Number.isNaN(date.getTime()) || !date.toISOString().startsWith(text)) {
    throw new CommandFailed(`"${text}" is no day: use 2026-11-21`)
  }
  return text
}

/** Reads a day or moment of ISO 8601, or a span back from now like 7d or 12h. Throws CommandFailed. */
export function parseTime(text: string, now: number): number {
  const span = text.match(/^(\d{1,4})([dhm])$/)
  if (span) {
    const unit = { d: 86_400_000, h: 3_600_000, m: 60_000 }[span[2] as 'd' | 'h' | 'm']
    return now - Number(span[1]) * unit
  }
  const parsed = /^\d{4}-\d{2}-\d{2}/.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(parsed)) {
    throw new CommandFailed(
      `"${text}" is no time: use 2026-11-21, 2026-11-21T08:00Z, 7d, 12h or 30m`,
    )
  }
  return parsed
}

/** Reads an id as the tables print it. Throws CommandFailed. */
export function parseId(text: string): number {
  if (!/^[1-9]\d{0,14}$/.test(text)) throw new CommandFailed(`"${text}" is no id`)
  return Number(text)
}

/** Reads a count of at least one; `what` is counted. Throws CommandFailed. */
export function parseLimit(text: string, what = 'rows'): number {
  if (!/^[1-9]\d{0,6}$/.test(text)) throw new CommandFailed(`"${text}" is no number of ${what}`)
  return Number(text)
}
