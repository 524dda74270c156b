/** Ways to put a value into Markdown so that it shows as it is and does not become markup. */
import { oneLine, printable } from './one-line.ts'

/**
 * The value as one line of Markdown that shows it and nothing else, anywhere in a line, even in the
 * target of a link (CommonMark section 2.4: any ASCII punctuation may be escaped).
 */
export const escapeMarkdown = (value: unknown): string => escapePunctuation(oneLine(value))

/**
 * The value as a block quote of its own that shows it line for line. Each line is marked, so that
 * no line can leave the quote.
 */
export function quoteMarkdown(value: unknown): string {
  const lines = String(value ?? '')
    .split(/\r\n|[\n\v\f\r\x85\u2028\u2029]/)
    .map(line => printable(line).trimEnd())
  return `\n\n${lines.map((line, index) => quoteLine(line, lines[index + 1])).join('\n')}\n\n`
}

function quoteLine(line: string, next = ''): string {
  const text = line.trimStart()
  if (text === '') return '>'
  const indent = '&nbsp;'.repeat(line.length - text.length)
  const hardBreak = next === '' ? '' : '\\'
  // HTML would show a run of spaces as one.
  const spaced = escapePunctuation(text).replace(/(?<= ) /g, '&nbsp;')
  return `> ${indent}${spaced}${hardBreak}`
}

/** The value as a code span, between more backticks than it has itself (CommonMark section 6.1). */
export function codeSpan(value: unknown): string {
  const text = String(value ?? '')
  const longest = Math.max(0, ...(text.match(/`+/g) ?? []).map(({ length }) => length))
  const fence = '`'.repeat(longest + 1)
  return longest > 0 ? `${fence} ${text} ${fence}` : fence + text + fence
}

/** The value for a cell of a table, where `|` would begin the next cell. */
export const escapeCell = (value: unknown): string => String(value ?? '').replaceAll('|', '\\|')

const escapePunctuation = (text: string): string => text.replace(/[!-/:-@[-`{-~]/g, '\\$&')
