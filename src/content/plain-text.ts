/** The plain-text part of a message, from the HTML of its body. */
import type { FormatCallback } from 'html-to-text'
import { lazy, lazyLibrary } from '../platform/lazy.ts'

const library = lazyLibrary<typeof import('html-to-text')>('html-to-text')

const WIDTH = 72

/**
 * HTML that we rendered as plain text: lines wrapped at 72 columns, headings underlined, quotes
 * marked with `> `, each URL shown once (RFC 3986 appendix C), tables as `head: cell` lines.
 */
export function plainText(html: string): string {
  // No-break spaces have kept indents and runs of spaces together until here.
  return `${convert()(html).replaceAll('\u00a0', ' ').replace(/ +$/gm, '')}\n`
}

const heading: FormatCallback = (element, walk, builder, { mark }) => {
  builder.openBlock({ leadingLineBreaks: 2 })
  walk(element.children, builder)
  builder.closeBlock({ trailingLineBreaks: 2, blockTransform: text => underlined(text, mark) })
}

const underlined = (text: string, mark: string): string =>
  `${text}\n${mark.repeat(Math.max(...text.split('\n').map(line => line.length)))}`

/** The label, and the URL if the label does not show it. */
const link: FormatCallback = (element, walk, builder) => {
  const words: string[] = []
  builder.pushWordTransform(word => {
    words.push(word)
    return word
  })
  walk(element.children, builder)
  builder.popWordTransform()
  const label = words.join('')
  const url: string = element.attribs.href
  if (label !== url && `https://${label}` !== url) builder.addInline(` <${url}>`)
}

/** One paragraph, with further lines indented. Each figure follows its column's head; the row of heads is left out. */
const row: FormatCallback = (element, walk, builder) => {
  if (element.parent?.name === 'thead') return
  builder.openBlock({ leadingLineBreaks: 1, reservedLineLength: 2 })
  const cells = element.children.filter(({ type }: { type: string }) => type === 'tag')
  for (const [index, cell] of cells.entries()) {
    const head = cell.attribs['data-head']
    if (head !== undefined && cell.children.length === 0) continue
    const follows = head === undefined || (index === 1 && cells[0]?.attribs['data-head'] === undefined)
    if (index > 0) builder.addInline(follows ? ': ' : ', ')
    if (head !== undefined) builder.addInline(`${head}: `)
    walk(cell.children, builder)
  }
  builder.closeBlock({ blockTransform: text => text.replaceAll('\n', '\n  ') })
}

const code: FormatCallback = (element, walk, builder) => {
  builder.openBlock({ leadingLineBreaks: 2, isPre: true })
  // The text of a `pre` is in its `code`, which must not be marked once more.
  for (const { children } of element.children) walk(children, builder)
  builder.closeBlock({ trailingLineBreaks: 2, blockTransform: text => text.trimEnd().replace(/^/gm, '    ') })
}

const convert = lazy(() =>
  library().compile({
    wordwrap: WIDTH,
    formatters: { heading, link, row, code },
    selectors: [
      { selector: 'h1', format: 'heading', options: { mark: '=' } },
      ...['h2', 'h3', 'h4', 'h5', 'h6'].map(selector => ({ selector, format: 'heading', options: { mark: '-' } })),
      { selector: 'a', format: 'link' },
      { selector: 'a[href^="tel:"]', format: 'inline' },
      { selector: 'a[href^="mailto:"]', format: 'inline' },
      { selector: 'ul', options: { itemPrefix: '- ' } },
      { selector: 'table', format: 'paragraph' },
      { selector: 'tr', format: 'row' },
      { selector: 'em.caption', format: 'inlineSurround', options: { prefix: '(', suffix: ')' } },
      { selector: 'code', format: 'inlineSurround', options: { prefix: '`', suffix: '`' } },
      { selector: 'pre', format: 'code' },
      { selector: 'wbr', format: 'skip' },
      { selector: 'hr', options: { length: 3 } },
      // An image becomes its description: its URL tells a reader nothing.
      { selector: 'img', options: { pathRewrite: () => '' } },
    ],
  }),
)
