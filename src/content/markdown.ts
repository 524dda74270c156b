/**
 * Markdown: how what people wrote is put into it without becoming part of it, and how it is read.
 * Two habits of ours: a paragraph that is one link is the thing to do (a button), and a table whose
 * head is empty has the head of each row in its first cell.
 */
import MarkdownIt, { type Token } from 'markdown-it'
import { oneLine, printable } from './one-line.ts'
import { markRowHeads } from './row-heads.ts'

const markdown = new MarkdownIt({ html: false, linkify: false, typographer: false })
markdown.core.ruler.push('frontdesk', ({ tokens }) => {
  markActions(tokens)
  markRowHeads(tokens)
  for (const token of tokens) {
    // What people write comes in any script.
    if (token.type === 'blockquote_open') token.attrSet('dir', 'auto')
  }
})

export const parseMarkdown = (source: string): Token[] => markdown.parse(source, {})

export const renderHtml = (tokens: Token[]): string =>
  markdown.renderer.render(tokens, markdown.options)

/**
 * As one line of Markdown that shows the value and nothing else, wherever in a line it stands, in
 * a link target too (CommonMark section 2.4: any ASCII punctuation may be escaped).
 */
export const escapeMarkdown = (value: unknown): string => escapePunctuation(oneLine(value))

/**
 * As a block quote of its own that shows the value line for line. Each line is marked, so that no
 * line can leave the quote.
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
  return `> ${indent}${escapePunctuation(text)}${hardBreak}`
}

const escapePunctuation = (text: string): string => text.replace(/[!-/:-@[-`{-~]/g, '\\$&')

function markActions(tokens: Token[]): void {
  for (const [index, token] of tokens.entries()) {
    const children = tokens[index + 1]?.children
    if (token.type === 'paragraph_open' && children && isOneLink(children)) {
      token.attrSet('class', 'action')
    }
  }
}

const isOneLink = (children: Token[]): boolean =>
  children[0]?.type === 'link_open' &&
  children.findIndex(({ type }) => type === 'link_close') === children.length - 1
