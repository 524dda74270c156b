/** How the commands print: tables and text for people, JSON and CSV for programs. */
import { stringify } from 'csv-stringify/sync'
import { HOUR, MINUTE, SECOND } from '../platform/time.ts'
import { terminal } from './terminal.ts'

export type Format = 'table' | 'json' | 'csv'
export type Row = Record<string, string | number | null>

export function print(text: string): void {
  terminal().stdout.write(`${text}\n`)
}

/**
 * Prints rows that all have the columns of the first. `empty` is printed instead of a table without
 * rows. `headings` are the columns that a table calls by another name than JSON and CSV do.
 */
export function printRows(
  rows: Row[],
  format: Format,
  empty: string,
  headings: Record<string, string> = {},
): void {
  if (format === 'json') print(JSON.stringify(rows, null, 2))
  else if (format === 'csv') terminal().stdout.write(csv(rows, true))
  else print(rows.length > 0 ? table(rows, headings) : empty)
}

/**
 * Rows as CSV, with a header line on request. A cell that a spreadsheet would run as a formula gets a
 * leading apostrophe, which makes it text (OWASP ASVS 5.0, 1.2.10).
 */
export function csv(rows: Row[], header: boolean): string {
  return stringify(rows, { header, escape_formulas: true })
}

/** Rows as a table for people. All rows have the columns of the first, and there is at least one row. */
export function table(rows: Row[], headings: Record<string, string> = {}): string {
  const columns = Object.keys(rows[0] ?? {})
  const lines = [
    columns.map(column => headings[column] ?? column),
    ...rows.map(row => columns.map(column => cell(row[column] ?? ''))),
  ]
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

/** `1 lead`, `2 leads`. */
export const count = (number: number, noun: string, plural = `${noun}s`): string =>
  `${number} ${number === 1 ? noun : plural}`

/** A time in UTC, which people and programs can both read: `2026-11-21T20:00:00Z`. */
export const moment = (milliseconds: number): string =>
  `${new Date(milliseconds).toISOString().slice(0, 19)}Z`

/** A time as the clocks of a time zone show it: `Sat 2026-11-21 15:00 EST`. */
export function localMoment(milliseconds: number, timeZone: string): string {
  const format = new Intl.DateTimeFormat('en-US', {
    weekday: 'short',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    timeZoneName: 'short',
    timeZone,
  })
  const parts = new Map(format.formatToParts(milliseconds).map(({ type, value }) => [type, value]))
  const date = `${parts.get('year')}-${parts.get('month')}-${parts.get('day')}`
  const time = `${parts.get('hour')}:${parts.get('minute')}`
  return `${parts.get('weekday')} ${date} ${time} ${parts.get('timeZoneName')}`
}

/** A length of time: `40 s`, `12 min`, `26 h 10 min`. Never in days: school hours have no full days. */
export function duration(milliseconds: number): string {
  if (milliseconds < MINUTE) return `${Math.floor(milliseconds / SECOND)} s`
  const minutes = Math.floor(milliseconds / MINUTE)
  if (milliseconds < HOUR) return `${minutes} min`
  const remainder = minutes % 60 === 0 ? '' : ` ${minutes % 60} min`
  return `${Math.floor(minutes / 60)} h${remainder}`
}
