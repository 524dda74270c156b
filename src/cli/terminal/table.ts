/** Tables for people, no wider than their window. */
import { stripVTControlCharacters } from 'node:util'
import stringWidth from 'string-width'
import { bold, lineWidth } from './terminal.ts'

export type Row = Record<string, string | number | null>

export type TableOptions = {
  /** The headings that differ from the names of the columns, by these names. */
  headings?: Record<string, string>
  /** The columns to leave out when the window is too narrow, the first one first. */
  optional?: readonly string[]
  /** No cell is cut to less than this. The default leaves room for a phone number or a time. */
  least?: number
}

const LEAST_WIDTH = 18
const GAP = '  '

/**
 * Rows as a table. All rows have the columns of the first, and there is at least one row. If the table does not fit
 * into the window, optional columns are left out, and then the widest columns are cut.
 */
export function table(rows: Row[], { headings = {}, optional = [], least = LEAST_WIDTH }: TableOptions = {}): string {
  const columns = Object.keys(rows[0] ?? {}).map(name => {
    const cells = [headings[name] ?? name, ...rows.map(row => oneLine(String(row[name] ?? '')))]
    return { name, cells, width: Math.max(...cells.map(cell => stringWidth(cell))) }
  })
  const fitting = fit(columns, { optional, least, room: lineWidth() })
  const line = (index: number) =>
    fitting
      .map(({ cells, width }) => pad(cut(cells[index] ?? '', width), width))
      .join(GAP)
      .trimEnd()
  return [bold(line(0)), ...rows.map((_, index) => line(index + 1))].join('\n')
}

type Column = { name: string; cells: string[]; width: number }

/** The columns that fit, each with the width that it gets. */
function fit(
  columns: Column[],
  { optional, least, room }: { optional: readonly string[]; least: number; room: number },
): Column[] {
  const widthWith = (most: number) =>
    columns.reduce((sum, { width }) => sum + Math.min(width, most) + GAP.length, -GAP.length)
  const [first, ...others] = optional
  if (first !== undefined && widthWith(least) > room) {
    const remaining = columns.filter(({ name }) => name !== first)
    return fit(remaining, { optional: others, least, room })
  }
  let most = Math.max(...columns.map(({ width }) => width))
  while (most > least && widthWith(most) > room) most--
  return columns.map(column => ({ ...column, width: Math.min(column.width, most) }))
}

/** What others wrote may contain line breaks, and sequences that would move the cursor or change colors. */
const oneLine = (text: string): string =>
  stripVTControlCharacters(text)
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()

const pad = (text: string, width: number): string => text + ' '.repeat(width - stringWidth(text))

const characters = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** The text, cut to the width; a letter with its accents, or an emoji, is never cut in two. */
function cut(text: string, width: number): string {
  if (stringWidth(text) <= width) return text
  let kept = ''
  for (const { segment } of characters.segment(text)) {
    if (stringWidth(kept + segment) > width - 1) break
    kept += segment
  }
  return `${kept}…`
}
