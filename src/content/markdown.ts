/** The one set-up of markdown-it. Messages and public pages each add their own rules to it. */
import type MarkdownIt from 'markdown-it'
import type { Token } from 'markdown-it'
import { lazyLibrary } from '../platform/lazy.ts'

const library = lazyLibrary<typeof MarkdownIt>('markdown-it')

/** Reads Markdown without HTML (which is shown as text). Tables may have row heads. */
export function createMarkdown() {
  const markdown = new (library())({ html: false, linkify: false, typographer: false })
  markdown.core.ruler.push('row-heads', ({ tokens }) => markRowHeads(tokens))
  return markdown
}

/** Removes empty table heads. In such a table, the first cell of each row becomes the head of its row. */
function markRowHeads(tokens: Token[]): void {
  for (let start = 0; start < tokens.length; start++) {
    if (tokens[start]?.type !== 'thead_open') continue
    const end = tokens.findIndex(({ type }, index) => index > start && type === 'thead_close')
    const head = tokens.slice(start, end + 1)
    if (head.some(({ type, content }) => type === 'inline' && content !== '')) continue
    tokens.splice(start, head.length)
    for (let i = start; tokens[i] && tokens[i]?.type !== 'table_close'; i++) {
      if (tokens[i]?.type === 'tr_open') markRowHead(tokens.slice(i))
    }
  }
}

/** Makes the first data cell a head, in the row that these tokens begin with. */
export function markRowHead(row: Token[]): void {
  const [open, close] = ['td_open', 'td_close'].map(type => row.find(token => token.type === type))
  if (!open || !close) return
  open.tag = close.tag = 'th'
  open.attrSet('scope', 'row')
}
