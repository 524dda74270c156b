/** How the commands print: tables and text for people, JSON and CSV for programs. */
import { csv } from '../../content/csv.ts'
import { type Row, type TableOptions, table } from './table.ts'
import { terminal } from './terminal.ts'

export type Format = 'table' | 'json' | 'csv'

/**
 * Prints a text, or JSON. Characters that change the direction of text could make other words appear: their codes are
 * printed instead, as in JSON.
 */
export function print(text: string): void {
  const safe = text.replace(BIDI_CONTROLS, control => `\\u${codeOf(control)}`)
  terminal().stdout.write(`${safe}\n`)
}

const BIDI_CONTROLS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

const codeOf = (character: string): string => character.charCodeAt(0).toString(16).padStart(4, '0')

/** Prints rows that all have the columns of the first. `empty` is printed instead of a table without rows. */
export function printRows(rows: Row[], format: Format, empty: string, options?: TableOptions) {
  if (format === 'json') print(JSON.stringify(rows, null, 2))
  else if (format === 'csv') terminal().stdout.write(csv(rows, true))
  else print(rows.length > 0 ? table(rows, options) : empty)
}

/** `1 lead`, `2 leads`. */
export const count = (number: number, noun: string, plural = `${noun}s`): string =>
  `${number} ${number === 1 ? noun : plural}`

/** Waits until the reader has read the text, so that an export of any size fits into memory. */
export async function write(text: string): Promise<void> {
  await new Promise<void>((resolve, reject) =>
    terminal().stdout.write(text, error => (error ? reject(error) : resolve())),
  )
}
