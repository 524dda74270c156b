/** Ways to put a value into Markdown so that it shows as it is and does not become markup. */
import { oneLine, printable } from './one-line.ts'
import { FinishedMarkdown } from './phrases.ts'

/**
 * The value as one line of Markdown that shows it and nothing else, anywhere in a line, even in the
 * target of a link (CommonMark section 2.4: any ASCII punctuation may be escaped). A phrase is Markdown already.
 */
export const escapeMarkdown = (value: unknown): string =>
  value instanceof FinishedMarkdown ? String(value) : escapePunctuation(oneLine(value))

/** The value as a block quote, with the same lines. Each line is marked, so that no line can leave the quote. */
export function quoteMarkdown(value: unknown): string {
  const lines = linesOf(value)
  return `\n\n${lines.map((line, index) => quoteLine(line, lines[index + 1])).join('\n')}\n\n`
}

function quoteLine(line: string, next = ''): string {
  const text = line.trimStart()
  if (text === '') return '>'
  const hardBreak = next === '' ? '' : '\\'
  return `> ${indentOf(line)}${spaced(text)}${hardBreak}`
}

const linesOf = (value: unknown): string[] =>
  String(value ?? '')
    .split(/\r\n|[\n\v\f\r\x85\u2028\u2029]/)
    .map(line => printable(line).trimEnd())

const indentOf = (line: string): string => '&nbsp;'.repeat(line.length - line.trimStart().length)

/** HTML would show a run of spaces as one. */
const spaced = (text: string): string => escapePunctuation(text).replace(/(?<= ) /g, '&nbsp;')

/**
 * The value as paragraphs of their own, with the same lines. URLs in it become links. Only for text from someone at the
 * school: a visitor's link must not look like ours.
 */
export function paragraphsMarkdown(value: unknown): string {
  const lines = linesOf(value)
  const shown = lines.map((line, index) => {
    const words = line.trimStart().split(URL_IN_TEXT)
    const text = words.map((part, at) => (at % 2 === 1 ? `<${part}>` : spaced(part))).join('')
    return text === '' ? '' : `${indentOf(line)}${text}${lines[index + 1] ? '\\' : ''}`
  })
  return `\n\n${shown.join('\n')}\n\n`
}

/** A URL, without the punctuation of the sentence that it ends. */
const URL_IN_TEXT = /(https?:\/\/[^\s<>"]*[^\s<>".,;:!?)'])/

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
