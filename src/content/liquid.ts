/** Liquid as all content uses it: one set of filters, and escaping that fits the target. */
import { Liquid } from 'liquidjs'
import { codeSpan, escapeCell, escapeMarkdown, paragraphsMarkdown, quoteMarkdown } from './escape-markdown.ts'
import { oneLine } from './one-line.ts'

/**
 * The text that variables are put into, which decides how their values are escaped. In
 * `trustedMarkdown` they are not: its values are our own words and the operator's, never a visitor's.
 */
export type Target = 'html' | 'line' | 'markdown' | 'trustedMarkdown'

const escapes = {
  html: { outputEscape: 'escape' },
  line: { outputEscape: oneLine },
  markdown: { outputEscape: escapeMarkdown },
  trustedMarkdown: {},
} as const

/** An engine for one kind of text. It finds included files in the first folder that holds them. */
export function createLiquid(contentDirs: string[], target: Target): Liquid {
  const liquid = new Liquid({
    root: contentDirs,
    relativeReference: false,
    cache: true,
    strictFilters: true,
    ...escapes[target],
  })
  liquid.registerFilter('quote', { raw: true, handler: quoteMarkdown })
  liquid.registerFilter('paragraphs', { raw: true, handler: paragraphsMarkdown })
  liquid.registerFilter('code', codeSpan)
  liquid.registerFilter('cell', escapeCell)
  // Liquid's own `raw` would let a visitor's text into Markdown without escaping.
  if (target === 'markdown') liquid.registerFilter('raw', (value: unknown) => value)
  return liquid
}
