/** The one set-up of markdown-it. Messages and public pages each add their own rules to it. */
import type MarkdownIt from 'markdown-it'
import { lazyLibrary } from '../platform/lazy.ts'
import { markRowHeads } from './row-heads.ts'

const library = lazyLibrary<typeof MarkdownIt>('markdown-it')

/** Reads Markdown without HTML, which is shown as text, and with tables that may have row heads. */
export function createMarkdown() {
  const markdown = new (library())({ html: false, linkify: false, typographer: false })
  markdown.core.ruler.push('row-heads', ({ tokens }) => markRowHeads(tokens))
  return markdown
}
