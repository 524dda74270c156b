/**
 * Markdown of messages, and of the pages that their links lead to. What a message has besides plain Markdown gets a
 * class, which the layouts style:
 * - `action`: a paragraph that is nothing but one link, a button; `primary`, too, if the link is bold
 * - `links`: a paragraph of nothing but links with `·` between them
 * - `facts`: a table; `figures`, too, if its columns have heads, and then each cell has the head of its column;
 *   `figure`: a cell or a head that is aligned to the right; `caption`: emphasized text below a figure, in its cell
 * - `note`: emphasized text on a new line of a paragraph, and
 * - `<time>`, in the place of a link to `time:`, which has the whole date as its title
 * - `small`: everything after a line `---`, both small print
 * - `<wbr>`, between the parts of a URL that stands alone, which may continue on the next line there and not within a
 *   word
 * - `forms`: a line `***`, where a page has its forms; no one else can write one, since variables are escaped
 */
import type { Token } from 'markdown-it'
import { lazy } from '../platform/lazy.ts'
import { createMarkdown } from './markdown.ts'
import { urlParts } from './url-parts.ts'

export const messageHtml = (source: string): string => renderer().render(source)

const renderer = lazy(() => {
  const markdown = createMarkdown()
  markdown.core.ruler.push('messages', ({ tokens }) => {
    for (const [index, token] of tokens.entries()) {
      const children = tokens[index + 1]?.children
      if (token.type === 'inline') markTimes(token.children ?? [])
      if (token.type === 'paragraph_open' && children) markLinks(token, children)
      if (token.type === 'inline') markNotes(token.children ?? [])
      if (token.type === 'hr' && token.markup.startsWith('*')) token.attrSet('class', 'forms')
      if (token.type === 'table_open') markTable(tokens.slice(index))
      // People write in any script, from left to right or from right to left.
      if (token.type === 'blockquote_open') token.attrSet('dir', 'auto')
    }
    markSmallPrint(tokens)
  })
  const { escapeHtml } = markdown.utils
  markdown.renderer.rules.text = (tokens, index) => {
    const { content = '' } = tokens[index] ?? {}
    return /^https?:\S+$/.test(content) ? urlParts(content).map(escapeHtml).join('<wbr>') : escapeHtml(content)
  }
  return markdown
})

function markTable(rest: Token[]): void {
  const table = rest.slice(
    0,
    rest.findIndex(({ type }) => type === 'table_close'),
  )
  const cells = (type: 'th_open' | 'td_open') => table.flatMap((one, index) => (one.type === type ? [index] : []))
  const heads = cells('th_open').map(index => table[index + 1]?.content ?? '')
  const hasHeads = table.some(({ type }) => type === 'thead_open')
  table[0]?.attrJoin('class', hasHeads ? 'facts figures' : 'facts')
  if (!hasHeads) return
  for (const [n, index] of cells('td_open').entries()) {
    const head = heads[n % heads.length]
    if (head) table[index]?.attrSet('data-head', head)
    for (const token of table[index + 1]?.children ?? [])
      if (token.type === 'em_open') token.attrJoin('class', 'caption')
  }
  for (const cell of table) if (cell.attrGet('style') === 'text-align:right') cell.attrSet('class', 'figure')
}

function markLinks(paragraph: Token, children: Token[]): void {
  const shown = children.filter(({ type, content }) => type !== 'text' || content !== '')
  if (shown[0]?.type === 'strong_open' && isOneLink(shown.slice(1, -1))) {
    paragraph.attrJoin('class', 'action primary')
    children.splice(0, children.length, ...shown.slice(1, -1))
  } else if (isOneLink(shown)) paragraph.attrJoin('class', 'action')
  else if (isLinks(shown)) paragraph.attrJoin('class', 'links')
}

const isOneLink = (children: Token[]): boolean =>
  children[0]?.type === 'link_open' && children.findIndex(({ type }) => type === 'link_close') === children.length - 1

function isLinks(children: Token[]): boolean {
  let inLink = false
  let count = 0
  for (const { type, content } of children) {
    if (type === 'link_open') count++
    else if (!inLink && !/^[\s·]*$/.test(content)) return false
    if (type === 'link_open' || type === 'link_close') inLink = type === 'link_open'
  }
  return count > 1
}

/** `[Today, 3:25 PM](time: "Saturday, November 21, 2026 at 3:25 PM")` */
function markTimes(children: Token[]): void {
  for (const [index, token] of children.entries()) {
    if (token.type !== 'link_open' || token.attrGet('href') !== 'time:') continue
    const end = children.slice(index).find(({ type }) => type === 'link_close')
    token.attrs = [['title', token.attrGet('title') ?? '']]
    for (const one of [token, end]) if (one) Object.assign(one, { tag: 'time', type: 'html_inline_time' })
  }
}

function markNotes(children: Token[]): void {
  for (const [index, token] of children.entries()) {
    const [before, space] = [children[index - 1], children[index - 2]]
    const onNewLine = before?.type === 'hardbreak' || (before?.content === '' && space?.type === 'hardbreak')
    if (token.type === 'em_open' && onNewLine) token.attrJoin('class', 'note')
  }
}

function markSmallPrint(tokens: Token[]): void {
  const line = tokens.findIndex(({ type, markup }) => type === 'hr' && markup.startsWith('-'))
  for (const token of line === -1 ? [] : tokens.slice(line)) {
    const opens = token.type === 'paragraph_open' || token.type === 'bullet_list_open'
    if (opens && token.level === 0) token.attrJoin('class', 'small')
  }
}
