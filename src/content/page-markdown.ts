/**
 * Markdown of our public pages as HTML: headings that can be linked to, code that can be copied,
 * tables that fit on a phone. It sets no styles, which the security policy of the pages forbids.
 */
import type { Token } from 'markdown-it'
import anchor from 'markdown-it-anchor'
import { createMarkdown } from './markdown.ts'
import { markRowHead } from './row-heads.ts'

export type RenderedPage = {
  html: string
  /** The headings of the second and the third level, for links to them. */
  contents: { id: string; text: string; level: 2 | 3 }[]
}

/**
 * Headings get the ids that GitHub gives them: their words, with a number if another heading has
 * the same ones. A heading may ask for its id, as in `## Our policy {#policy}`.
 *
 * A fence may have a title beside its language: ```` ```sh title="A first request" ````. The first
 * cell in each row of a table is the head of its row; a table head that is empty is left out. HTML
 * is shown as text.
 */
export function renderPage(source: string): RenderedPage {
  // The layout has this id already.
  const env: Env = { requestedIds: new Set(['main-content']) }
  const tokens = markdown.parse(source, env)
  const contents = headingsIn(tokens).flatMap(({ open, inline }) => {
    const level = Number(open.tag.slice(1))
    const id = String(open.attrGet('id'))
    return level === 2 || level === 3 ? [{ id, text: textOf(inline), level }] : []
  }) as RenderedPage['contents']
  return { html: markdown.renderer.render(tokens, markdown.options, env), contents }
}

/** The state that the rules share while they render one page. */
type Env = { requestedIds: Set<string> }

const markdown = createMarkdown()
const { escapeHtml, unescapeAll } = markdown.utils

const headerLink = anchor.permalink.headerLink({ class: '' })

// Before the inline text is parsed, or emphasis could begin in an id.
markdown.core.ruler.before('inline', 'heading-ids', ({ tokens, env }) =>
  readIds(tokens, env as Env),
)
markdown.use(anchor, {
  slugifyWithState: (text, { env }) => slug(text, (env as Env).requestedIds),
  getTokensText: plainText,
  failOnNonUnique: false,
  permalink: linkToItself,
  tabIndex: false,
})
markdown.core.ruler.push('pages', ({ tokens }) => {
  markTables(tokens)
  markBareLinks(tokens)
})

type Heading = { open: Token; inline: Token }

const headingsIn = (tokens: Token[]): Heading[] =>
  tokens.flatMap((open, index) => {
    const inline = tokens[index + 1]
    return open.type === 'heading_open' && inline ? [{ open, inline }] : []
  })

function readIds(tokens: Token[], { requestedIds }: Env): void {
  for (const { open, inline } of headingsIn(tokens)) {
    const [whole = '', id] = /\s*\{#([\w-]+)\}$/.exec(inline.content) ?? []
    if (id === undefined) continue
    open.attrSet('id', id)
    inline.content = inline.content.slice(0, -whole.length)
    requestedIds.add(id)
  }
}

/** GitHub's id of a heading, but none that another heading asks for. */
function slug(text: string, requestedIds: ReadonlySet<string>): string {
  const words =
    text
      .trim()
      .toLowerCase()
      .replace(/[^\p{L}\p{M}\p{N}\p{Pc} -]/gu, '')
      .replaceAll(' ', '-') || 'section'
  let id = words
  for (let count = 1; requestedIds.has(id); count++) id = `${words}-${count}`
  return id
}

/** Makes a heading a link to itself, unless it is the title or holds a link. */
function linkToItself(...[id, options, state, index]: Parameters<typeof headerLink>): void {
  const [open, inline] = state.tokens.slice(index)
  const holdsLink = inline?.children?.some(({ type }) => type === 'link_open')
  if (open?.tag !== 'h1' && !holdsLink) headerLink(id, options, state, index)
}

function plainText(children: Token[]): string {
  const text = markdown.renderer.renderInlineAsText(children, markdown.options, {})
  return text.replace(/\s+/g, ' ')
}

const textOf = ({ children }: Token): string => plainText(children ?? [])

function markTables(tokens: Token[]): void {
  let heading: unknown = null
  for (const [start, token] of tokens.entries()) {
    if (token.type === 'heading_open') heading = token.attrGet('id')
    if (token.type !== 'table_open') continue
    const end = tokens.findIndex(({ type }, index) => index > start && type === 'table_close')
    token.meta = { heading }
    markTable(tokens.slice(start, end))
  }
}

/** Cells get scopes, and the name of their column, for the style that shows rows as blocks. */
function markTable(table: Token[]): void {
  const heads = cellsOf(table, 'th_open')
  for (const { open, close, text } of heads) {
    if (text !== '') open.attrSet('scope', 'col')
    else open.tag = close.tag = 'td'
  }
  for (const [index, { open, close, text }] of cellsOf(table, 'td_open').entries()) {
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

const cellsOf = (table: Token[], type: 'th_open' | 'td_open'): Cell[] =>
  table.flatMap((open, index) => {
    const [inline, close] = table.slice(index + 1)
    return open.type === type && inline && close ? [{ open, close, text: textOf(inline) }] : []
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

/** Marks links that show their own URL, which need not be printed again. */
function markBareLinks(tokens: Token[]): void {
  for (const { children } of tokens) {
    for (const [index, link] of (children ?? []).entries()) {
      const shown = children?.[index + 1]?.content ?? ''
      const url = String(link.attrGet('href'))
      if (link.type !== 'link_open') continue
      if ([url, url.replace(/^https?:\/\//, '')].includes(shown)) link.attrSet('class', 'bare')
    }
  }
}

const { rules } = markdown.renderer

rules['table_open'] = (tokens, index, options, _env, self) => {
  const heading = tokens[index]?.meta?.['heading']
  const name = heading ? `aria-labelledby="${escapeHtml(String(heading))}"` : 'aria-label="Table"'
  const table = self.renderToken(tokens, index, options)
  return `<div class="table" role="group" ${name} tabindex="0">\n${table}`
}
rules['table_close'] = () => '</table>\n</div>\n'
rules['fence'] = (tokens, index) => codeBlock(tokens[index] as Token)
rules['code_block'] = (tokens, index) => codeBlock(tokens[index] as Token)

/** The names of languages, by the words that fences use. */
const languages = new Map([
  ['http', 'HTTP'],
  ['js', 'JavaScript'],
  ['json', 'JSON'],
  ['python', 'Python'],
  ['sh', 'Shell'],
  ['ts', 'TypeScript'],
])

function codeBlock({ info, content }: Token): string {
  const [word = ''] = info.trim().split(/\s/)
  const [, title] = /\stitle="([^"]+)"/.exec(info) ?? []
  const label = escapeHtml(unescapeAll(title ?? languages.get(word) ?? (word || 'Code')))
  return `<figure class="code">
<figcaption>${label}</figcaption>
<pre tabindex="0" role="group" aria-label="${label}"><code>${escapeHtml(content.trimEnd())}</code></pre>
</figure>
`
}
