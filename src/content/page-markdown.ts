/**
 * Markdown of our public pages as HTML: headings that can be linked to, code that can be copied,
 * tables that fit on a phone. It sets no styles, which the security policy of the pages forbids.
 */
import type { Token } from 'markdown-it'
import { lazy } from '../platform/lazy.ts'
import { createMarkdown } from './markdown.ts'
import { showCode } from './page-code.ts'
import { addContainers } from './page-containers.ts'
import { type HeadingIds, headingsIn, linkHeadings, plainText } from './page-headings.ts'
import { fitTables } from './page-tables.ts'

export type RenderedPage = {
  html: string
  /** The headings of the second and the third level, for links to them. */
  contents: { id: string; text: string; level: 2 | 3 }[]
}

/** HTML in the source is shown as text. `linkHeadings`, `showCode` and `addContainers` say what else it may have. */
export function renderPage(source: string): RenderedPage {
  const markdown = renderer()
  // The layout has these ids already.
  const env: HeadingIds = { requestedIds: new Set(['main-content', 'top']) }
  const tokens = markdown.parse(source, env)
  const contents = headingsIn(tokens).flatMap(({ open, inline, level }) => {
    const text = plainText(markdown, inline.children ?? [])
    return level === 2 || level === 3 ? [{ id: String(open.attrGet('id')), text, level }] : []
  }) as RenderedPage['contents']
  return { html: markdown.renderer.render(tokens, markdown.options, env), contents }
}

const renderer = lazy(() => {
  const markdown = createMarkdown()
  linkHeadings(markdown)
  fitTables(markdown)
  showCode(markdown)
  addContainers(markdown)
  markdown.core.ruler.push('bare-links', ({ tokens }) => markBareLinks(tokens))
  markdown.core.ruler.push('dots', ({ tokens }) => keepDots(tokens))
  return markdown
})

/** A line may end with a dot that separates two links, but may not begin with one. */
function keepDots(tokens: Token[]): void {
  for (const token of tokens.flatMap(({ children }) => children ?? []))
    if (token.type === 'text') token.content = token.content.replaceAll(' · ', '\u00a0· ')
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
