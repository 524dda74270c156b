/** Headings that can be linked to: each has an id, and is a link to itself. */
import type { MarkdownIt, Token } from 'markdown-it'
import anchor from 'markdown-it-anchor'

export type Heading = { open: Token; inline: Token; level: number }

/**
 * Headings get the ids that GitHub would give them: their words, with a number if another heading has the same words. A
 * heading may ask for another id, as in `## Our policy {#policy}`.
 */
export function linkHeadings(markdown: MarkdownIt): void {
  // Comes before the inline text is parsed: otherwise, emphasis could begin in an id.
  markdown.core.ruler.before('inline', 'heading-ids', ({ tokens, env }) => readIds(tokens, env as HeadingIds))
  markdown.use(anchor, {
    slugifyWithState: (text, { env }) => slug(text, (env as HeadingIds).requestedIds),
    getTokensText: children => plainText(markdown, children),
    failOnNonUnique: false,
    permalink: linkToItself,
    tabIndex: false,
  })
}

export type HeadingIds = { requestedIds: Set<string> }

export const headingsIn = (tokens: Token[]): Heading[] =>
  tokens.flatMap((open, index) => {
    const inline = tokens[index + 1]
    if (open.type !== 'heading_open' || inline === undefined) return []
    return [{ open, inline, level: Number(open.tag.slice(1)) }]
  })

export function plainText({ renderer, options }: MarkdownIt, children: Token[]): string {
  return renderer.renderInlineAsText(children, options, {}).replace(/\s+/g, ' ')
}

function readIds(tokens: Token[], { requestedIds }: HeadingIds): void {
  for (const { open, inline } of headingsIn(tokens)) {
    const [whole = '', id] = /\s*\{#([\w-]+)\}$/.exec(inline.content) ?? []
    if (id === undefined) continue
    open.attrSet('id', id)
    inline.content = inline.content.slice(0, -whole.length)
    requestedIds.add(id)
  }
}

/** GitHub's id for a heading, unless another heading asks for it. */
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

const headerLink = anchor.permalink.headerLink({ class: '' })

/** Makes a heading a link to itself, unless it is the title or contains a link. */
function linkToItself(...[id, options, state, index]: Parameters<typeof headerLink>): void {
  const [open, inline] = state.tokens.slice(index)
  const holdsLink = inline?.children?.some(({ type }) => type === 'link_open')
  if (open?.tag !== 'h1' && !holdsLink) headerLink(id, options, state, index)
}
