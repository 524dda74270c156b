/** Tables of our pages, which fit on a phone and are read out as tables there, too. */
import type { MarkdownIt, Token } from 'markdown-it'
import { markRowHead } from './markdown.ts'
import { plainText } from './page-headings.ts'

/** The first cell in each row of a table is the head of its row. A table has the heading above it as its name. */
export function fitTables(markdown: MarkdownIt): void {
  markdown.core.ruler.push('tables', ({ tokens }) => {
    let heading: unknown = null
    for (const [start, token] of tokens.entries()) {
      if (token.type === 'heading_open') heading = token.attrGet('id')
      if (token.type !== 'table_open') continue
      const end = tokens.findIndex(({ type }, index) => index > start && type === 'table_close')
      token.meta = { heading }
      markTable(markdown, tokens.slice(start, end))
    }
  })
  const { escapeHtml } = markdown.utils
  const { rules } = markdown.renderer
  rules['table_open'] = (tokens, index, options, _env, self) => {
    const heading = tokens[index]?.meta?.['heading']
    const name = heading ? `aria-labelledby="${escapeHtml(String(heading))}"` : 'aria-label="Table"'
    const table = self.renderToken(tokens, index, options)
    return `<div class="table" role="group" ${name} tabindex="0">\n${table}`
  }
  rules['table_close'] = () => '</table>\n</div>\n'
}

/** Cells get scopes, and the name of their column, for the style that shows rows as blocks. */
function markTable(markdown: MarkdownIt, table: Token[]): void {
  const heads = cellsOf(markdown, table, 'th_open')
  for (const { open, close, text } of heads) {
    if (text !== '') open.attrSet('scope', 'col')
    else open.tag = close.tag = 'td'
  }
  for (const [index, { open, close, text }] of cellsOf(markdown, table, 'td_open').entries()) {
    const column = index % heads.length
    if (column === 0 && text !== '') markRowHead([open, close])
    else if (heads[column]?.text) open.attrSet('data-label', heads[column].text)
  }
  for (const token of table) {
    markRole(token)
    alignByClass(token)
  }
}

type Cell = { open: Token; close: Token; text: string }

const cellsOf = (markdown: MarkdownIt, table: Token[], type: 'th_open' | 'td_open'): Cell[] =>
  table.flatMap((open, index) => {
    const [inline, close] = table.slice(index + 1)
    if (open.type !== type || inline === undefined || close === undefined) return []
    return [{ open, close, text: plainText(markdown, inline.children ?? []) }]
  })

const tableRoles: Record<string, string> = {
  table_open: 'table',
  thead_open: 'rowgroup',
  tbody_open: 'rowgroup',
  tr_open: 'row',
  th_open: 'cell',
  td_open: 'cell',
  col: 'columnheader',
  row: 'rowheader',
}

/** Some browsers stop treating a table as one if its rows are shown as blocks, unless roles say so. */
function markRole(token: Token): void {
  const role = tableRoles[token.attrGet('scope') ?? token.type]
  if (role) token.attrSet('role', role)
}

function alignByClass(token: Token): void {
  const [, side] = /^text-align:(\w+)$/.exec(String(token.attrGet('style'))) ?? []
  if (side === undefined) return
  token.attrs = (token.attrs ?? []).filter(([name]) => name !== 'style')
  token.attrSet('class', side)
}
