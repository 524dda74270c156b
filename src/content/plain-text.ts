/** Markdown as text to be read as it stands: the text part of a message. */
import type { Token } from 'markdown-it'

const WIDTH = 72

/**
 * Markdown, parsed, as plain text: lines wrapped at 72 columns, quotes marked with `> `, each link
 * shown once (RFC 3986 appendix C), tables as `head: cell` lines.
 */
export function plainText(tokens: Token[]): string {
  const text = blocks(tokens, WIDTH).join('\n\n')
  // No-break spaces kept indents together up to here.
  return `${text.replaceAll('\u00a0', ' ').replace(/ +$/gm, '')}\n`
}

function blocks(tokens: Token[], width: number): string[] {
  const found: string[] = []
  for (let i = 0; i < tokens.length; ) {
    const token = tokens[i] as Token
    const end = token.nesting === 1 ? closing(tokens, i) : i
    found.push(block(token, tokens.slice(i + 1, end), width))
    i = end + 1
  }
  return found.filter(text => text !== '')
}

function block(token: Token, inner: Token[], width: number): string {
  switch (token.type) {
    case 'heading_open':
      return underlined(lines(inner, width), token.tag === 'h1' ? '=' : '-')
    case 'blockquote_open':
      return prefixed(blocks(inner, width - 2).join('\n\n'), '> ', '> ')
    case 'bullet_list_open':
    case 'ordered_list_open':
      return blocks(inner, width).join('\n')
    case 'list_item_open': {
      const mark = token.info ? `${token.info}. ` : '- '
      const hanging = ' '.repeat(mark.length)
      return prefixed(blocks(inner, width - mark.length).join('\n\n'), mark, hanging)
    }
    case 'table_open':
      return rows(inner)
        .map(row => prefixed(wrap(row, width - 2), '', '  '))
        .join('\n')
    case 'hr':
      return '-'.repeat(3)
    case 'fence':
    case 'code_block':
      return prefixed(token.content.trimEnd(), '    ', '    ')
    default:
      return lines(inner, width)
  }
}

/** The place of the token that closes the one at `start`. */
function closing(tokens: Token[], start: number): number {
  const level = tokens[start]?.level
  return tokens.findIndex((token, i) => i > start && token.nesting === -1 && token.level === level)
}

function lines(tokens: Token[], width: number): string {
  return inline(tokens.flatMap(({ children }) => children ?? []))
    .split('\n')
    .map(line => wrap(line, width))
    .join('\n')
}

function inline(tokens: Token[]): string {
  let text = ''
  let link: { href: string; start: number } | undefined
  for (const token of tokens) {
    if (token.type === 'link_open')
      link = { href: String(token.attrGet('href')), start: text.length }
    else if (token.type === 'link_close' && link) text += target(link.href, text.slice(link.start))
    else if (token.type === 'hardbreak') text += '\n'
    else if (token.type === 'softbreak') text += ' '
    else if (token.type === 'code_inline') text += `\`${token.content}\``
    else text += token.content
  }
  return text
}

/** What the label of a link leaves unsaid. */
function target(href: string, label: string): string {
  const said = /^(?:tel|mailto):/.test(href) || href === label || href === `https://${label}`
  return said ? '' : ` <${href}>`
}

/** One line of text for each row of a table. */
function rows(tokens: Token[]): string[] {
  const found: string[] = []
  for (const [i, { type }] of tokens.entries()) {
    if (type !== 'tr_open') continue
    const row = tokens.slice(i, closing(tokens, i)).filter(token => token.type === 'inline')
    found.push(row.map(cell => inline(cell.children ?? [])).join(': '))
  }
  return found
}

const underlined = (text: string, mark: string): string =>
  `${text}\n${mark.repeat(Math.max(...text.split('\n').map(line => line.length)))}`

const prefixed = (text: string, first: string, others: string): string =>
  text
    .split('\n')
    .map((line, index) => (index === 0 ? first : others) + line)
    .join('\n')

/** Breaks at spaces only: a long link stays in one piece. */
function wrap(line: string, width: number): string {
  const wrapped: string[] = []
  let current: string | undefined
  for (const word of line.split(' ')) {
    const longer: string = current === undefined ? word : `${current} ${word}`
    if (current !== undefined && longer.length > width) {
      wrapped.push(current)
      current = word
    } else {
      current = longer
    }
  }
  return [...wrapped, current].join('\n')
}
