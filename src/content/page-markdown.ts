/**
 * Markdown of our public pages as HTML: headings that can be linked to, code that can be copied,
 * tables that fit on a phone. It styles nothing itself, which the policy of the pages forbids.
 */
import MarkdownIt, { type Token } from 'markdown-it'
import { createMarkdown } from './markdown.ts'
import { markRowHead } from './row-heads.ts'

export type RenderedPage = {
  html: string
  /** The headings of the second and the third level, for links to them. */
  contents: { id: string; text: string; level: 2 | 3 }[]
}

/**
 * Headings get the ids that GitHub gives them: their words, and a number where these come again. An
 * id may be asked for, as in `## Our policy {#policy}`.
 *
 * A fence may have a title beside its language: ```` ```sh title="A first request" ````. The first
 * cell in each row of a table is its head; a head of columns that is empty is left out. HTML is
 * shown as text.
 */
export function renderPage(source: string): RenderedPage {
  const tokens = markdown.parse(source, {})
  const contents = headingsIn(tokens).flatMap(({ open, text }) => {
    const level = Number(open.tag.slice(1))
    return level === 2 || level === 3 ? [{ id: String(open.attrGet('id')), text, level }] : []
  }) as RenderedPage['contents']
  return { html: markdown.renderer.render(tokens, markdown.options, {}), contents }
}

const markdown = createMarkdown()
const { escapeHtml, unescapeAll } = markdown.utils

// Before the text is read, or emphasis could begin in an id.
markdown.core.ruler.before('inline', 'heading-ids', ({ tokens }) => takeIds(tokens))
markdown.core.ruler.push('frontdesk', ({ tokens }) => {
  nameHeadings(tokens)
  linkHeadings(tokens)
  markTables(tokens)
  markBareLinks(tokens)
})

function takeIds(tokens: Token[]): void {
  for (const [index, open] of tokens.entries()) {
    const text = tokens[index + 1]
    if (open.type !== 'heading_open' || !text) continue
    const [whole = '', id] = /\s*\{#([\w-]+)\}$/.exec(text.content) ?? []
    if (id === undefined) continue
    open.attrSet('id', id)
    text.content = text.content.slice(0, -whole.length)
  }
}

type Heading = { open: Token; inline: Token; text: string }

const headingsIn = (tokens: Token[]): Heading[] =>
  tokens.flatMap((open, index) => {
    const inline = tokens[index + 1]
    return open.type === 'heading_open' && inline ? [{ open, inline, text: textOf(inline) }] : []
  })

const textOf = ({ children }: Token): string =>
  markdown.renderer.renderInlineAsText(children ?? [], markdown.options, {}).replace(/\s+/g, ' ')

/** Ids that are asked for come first, so that no other heading takes them. */
function nameHeadings(tokens: Token[]): void {
  const isNamed = ({ open }: Heading) => open.attrGet('id') !== null
  // The layout has this one already.
  const taken = new Set(['main-content'])
  const headings = headingsIn(tokens)
  for (const { open, text } of headings.toSorted((a, b) => +isNamed(b) - +isNamed(a))) {
    const id = unused(String(open.attrGet('id') ?? slug(text)), taken)
    taken.add(id)
    open.attrSet('id', id)
  }
}

/** Each heading is a link to itself, so that a reader hears no more of the link than the heading. */
function linkHeadings(tokens: Token[]): void {
  for (const { open, inline } of headingsIn(tokens)) {
    const children = inline.children ?? []
    if (open.tag === 'h1' || children.some(({ type }) => type === 'link_open')) continue
    const link = new MarkdownIt.Token('link_open', 'a', 1)
    link.attrSet('href', `#${open.attrGet('id')}`)
    inline.children = [link, ...children, new MarkdownIt.Token('link_close', 'a', -1)]
  }
}

const slug = (text: string): string =>
  text
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc} -]/gu, '')
    .replaceAll(' ', '-') || 'section'

function unused(name: string, taken: ReadonlySet<string>): string {
  let id = name
  for (let count = 1; taken.has(id); count++) id = `${name}-${count}`
  return id
}

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

/** Beside scopes, each cell gets the name of its column, for a style that shows rows as blocks. */
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

/** In some browsers a table whose rows are shown as blocks is a table no more, unless it says so. */
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

/** Marks links that show their own address, which print need not repeat. */
function markBareLinks(tokens: Token[]): void {
  for (const { children } of tokens) {
    for (const [index, link] of (children ?? []).entries()) {
      const shown = children?.[index + 1]?.content ?? ''
      const address = String(link.attrGet('href'))
      if (link.type !== 'link_open') continue
      if ([address, address.replace(/^https?:\/\//, '')].includes(shown))
        link.attrSet('class', 'bare')
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

/** What languages are called, and how a comment in them begins. */
const languages = new Map<string, { name: string; comment?: string }>([
  ['http', { name: 'HTTP' }],
  ['js', { name: 'JavaScript', comment: '//' }],
  ['json', { name: 'JSON', comment: '//' }],
  ['python', { name: 'Python', comment: '#' }],
  ['sh', { name: 'Shell', comment: '#' }],
  ['ts', { name: 'TypeScript', comment: '//' }],
])

function codeBlock({ info, content }: Token): string {
  const text = content.trimEnd()
  const [word = ''] = info.trim().split(/\s/)
  const [, title] = /\stitle="([^"]+)"/.exec(info) ?? []
  const language = languages.get(word)
  const label = escapeHtml(unescapeAll(title ?? language?.name ?? (word || 'Code')))
  const code = language?.comment ? colored(text, language.comment) : escapeHtml(text)
  return `<figure class="code">
<figcaption>${label}</figcaption>
<pre tabindex="0" role="group" aria-label="${label}"><code>${code}</code></pre>
</figure>
`
}

/** With comments, keys, strings and fixed words marked: as much as guides the eye. */
function colored(code: string, comment: string): string {
  const parts = new RegExp(String.raw`(?<comment>(?<=^|\s)${comment}.*)|${PARTS}`, 'gm')
  let html = ''
  let end = 0
  for (const { 0: text, index, groups = {} } of code.matchAll(parts)) {
    const [kind] = Object.entries(groups).find(([, part]) => part !== undefined) ?? []
    html += `${escapeHtml(code.slice(end, index))}<span class="${kind}">${escapeHtml(text)}</span>`
    end = index + text.length
  }
  return html + escapeHtml(code.slice(end))
}

const PARTS = [
  /(?<key>"[^"\n]*"(?=\s*:))/,
  /(?<string>"""[\s\S]*?"""|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|`(?:\\.|[^`\\])*`)/,
  /(?<word>(?<=^|[\s([{:,!])(?:async|await|const|def|else|false|False|for|from|function|if|import|in|let|new|None|null|return|throw|true|True|try|while|with)(?=$|[\s)\]},:;.(]))/,
]
  .map(({ source }) => source)
  .join('|')
