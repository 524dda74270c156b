/**
 * Markdown of messages, and of the pages that their links lead to. A paragraph that is nothing but
 * one link is the next thing to do, so it is marked to be shown as a button.
 */
import type { Token } from 'markdown-it'
import { createMarkdown } from './markdown.ts'

const markdown = createMarkdown()
markdown.core.ruler.push('messages', ({ tokens }) => {
  markActions(tokens)
  for (const token of tokens) {
    // People write in any script, from left to right or from right to left.
    if (token.type === 'blockquote_open') token.attrSet('dir', 'auto')
  }
})

export const messageHtml = (source: string): string => markdown.render(source)

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
