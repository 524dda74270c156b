/**
 * Parts of a page that exist only in its HTML, each between a line `::: name` and a line `:::`. A part that contains
 * other parts has more colons than they have.
 */
import type { MarkdownIt, Token } from 'markdown-it'
import container from 'markdown-it-container'
import { lazyLibrary } from '../platform/lazy.ts'
import { titleOf } from './page-code.ts'

const qr = lazyLibrary<typeof import('uqr')>('uqr')

/**
 * - `example`: on wide screens, it is beside the rest of its section.
 * - `tabs`: shows one of its code blocks, which the reader chooses by their titles.
 * - `details A title`: folded.
 * - `live HEIGHT`: holds a link to a form, and shows that form, as high as that, in a frame in which nothing runs and
 *   that sends nothing. Further heights are those of the other forms to choose from.
 * - `qr`: holds a link, and shows its QR code.
 * - `choices`: a list of choices, `Name: [Words](value) · [Words](value)`, or `Name: example` to type. A script of the
 *   layout writes what is chosen into the code after it. Without scripts, it is left out.
 * - `box`, `fields`, `errors`: a box, and lists in a style of their own.
 */
export function addContainers(markdown: MarkdownIt): void {
  const { escapeHtml } = markdown.utils
  const { rules } = markdown.renderer
  for (const name of ['example', 'box', 'fields', 'errors']) markdown.use(container, name)
  markdown.use(container, 'details', {
    render: (tokens: Token[], index: number) => {
      const { nesting, info } = tokens[index] as Token
      const title = info.trim().slice('details '.length)
      return nesting === 1 ? `<details><summary>${markdown.renderInline(title)}</summary>\n` : '</details>\n'
    },
  })
  markdown.use(container, 'live', {
    render: (tokens: Token[], index: number) => {
      if (tokens[index]?.nesting !== 1) return '</div>\n'
      const [url, title] = firstLink(tokens.slice(index))
      const src = escapeHtml(`${url}?embed=iframe&theme=auto&preview`)
      const [, height = '', ...others] = (tokens[index]?.info ?? '').trim().split(' ')
      const size = `height="${escapeHtml(height)}" data-heights="${escapeHtml([height, ...others].join(' '))}"`
      return `<div class="live"><iframe sandbox="" tabindex="-1" loading="lazy" title="${escapeHtml(title)}" ${size} src="${src}"></iframe>\n`
    },
  })
  markdown.use(container, 'qr', {
    render: (tokens: Token[], index: number) => {
      if (tokens[index]?.nesting !== 1) return '</div>\n'
      const [url, title] = firstLink(tokens.slice(index))
      const code = qr().renderSVG(url, { border: 4, ecc: 'M' })
      return `<div class="qr">${code.replace('<svg', `<svg role="img" aria-label="${escapeHtml(title)}"`)}\n`
    },
  })
  markdown.use(container, 'choices')
  markdown.core.ruler.push('choices', ({ tokens }) => {
    for (const open of findAll(tokens, 'container_choices_open')) {
      const items = tokens.slice(tokens.indexOf(open), tokens.indexOf(findClose(tokens, tokens.indexOf(open))))
      for (const item of items) if (item.type === 'inline' && item.level > open.level + 3) asChoice(item)
    }
  })
  rules['choice'] = (tokens, index) => {
    const { content: label, meta } = tokens[index] as Token
    const name = escapeHtml(label.toLowerCase().replaceAll(' ', '-'))
    const { options: given, example } = meta as { options: Option[]; example: string }
    const options = given.map(
      ({ value, words }) => `<option value="${escapeHtml(value)}">${escapeHtml(words)}</option>`,
    )
    const control =
      options.length === 0
        ? `<input id="choose-${name}" name="${name}" maxlength="60" placeholder="${escapeHtml(example)}" autocomplete="off">`
        : `<select id="choose-${name}" name="${name}">${options.join('')}</select>`
    return `<label for="choose-${name}">${escapeHtml(label)}</label>${control}`
  }
  markdown.use(container, 'tabs', {
    render: (tokens: Token[], index: number) =>
      tokens[index]?.nesting === 1 ? '<div class="tabs" role="group" aria-label="Example in">\n' : '</div>\n',
  })
  rules['tab_open'] = (tokens, index) => {
    const { info, content, meta } = tokens[index] as Token
    const checked = meta?.['first'] === true ? ' checked' : ''
    return `<div class="tab">
<label><input type="radio" name="${escapeHtml(content)}"${checked}>${escapeHtml(info)}</label>
`
  }
  rules['tab_close'] = () => '</div>\n'
  markdown.core.ruler.push('tabs', ({ tokens, Token }) => {
    const open = findAll(tokens, 'container_tabs_open')
    for (const [group, start] of open.entries()) {
      const end = tokens.indexOf(findClose(tokens, tokens.indexOf(start)))
      const fences = tokens.slice(tokens.indexOf(start), end).filter(({ type }) => type === 'fence')
      for (const fence of fences) {
        const tab = Object.assign(new Token('tab_open', '', 1), {
          info: titleOf(fence.info) ?? fence.info,
          content: `tabs-${group + 1}`,
          meta: { first: fence === fences[0] },
        })
        tokens.splice(tokens.indexOf(fence), 1, tab, fence, new Token('tab_close', '', -1))
      }
    }
  })
  markdown.core.ruler.push('sections', splitSections)
}

type Option = { value: string; words: string }

/** Makes a control of an item of a list. */
function asChoice(item: Token): void {
  const children = item.children ?? []
  const options = children.flatMap((token, index): Option[] =>
    token.type === 'link_open'
      ? [{ value: decodeURIComponent(String(token.attrGet('href'))), words: children[index + 1]?.content ?? '' }]
      : [],
  )
  const [label = '', example = ''] = (children[0]?.content ?? '').split(/:\s*/)
  const [first] = children
  if (first !== undefined)
    item.children = [Object.assign(first, { type: 'choice', content: label, meta: { options, example } })]
}

function firstLink(tokens: readonly Token[]): [url: string, text: string] {
  const children = tokens.flatMap(token => token.children ?? [])
  const link = children.findIndex(({ type }) => type === 'link_open')
  return [String(children[link]?.attrGet('href') ?? ''), children[link + 1]?.content ?? '']
}

/** The Markdown without choices and the lines of containers; a title of a folded part becomes a paragraph. */
export const withoutContainers = (source: string): string =>
  source
    .replace(/^::: choices\n.*?^:::\n/gms, '')
    .replace(/^( *):{3,} details (.*)$/gm, '$1$2:')
    .replace(/^ *:{3,}.*\n/gm, '')

/** Makes a section with an example two columns: the text before and after the example, and the example. */
function splitSections({
  tokens,
  Token,
}: {
  tokens: Token[]
  Token: new (...args: [string, string, -1 | 0 | 1]) => Token
}): void {
  for (const example of findAll(tokens, 'container_example_open')) {
    const start = tokens.indexOf(example)
    const exampleEnd = tokens.indexOf(findClose(tokens, start))
    const isHead = ({ type, tag }: Token) => type === 'heading_open' && tag === 'h2'
    const head = tokens.findLastIndex((token, index) => index < start && isHead(token))
    const next = tokens.findIndex((token, index) => index > exampleEnd && isHead(token))
    const end = next < 0 ? tokens.length : next
    const block = (nesting: -1 | 1, tag: string, name = '') => {
      const token = new Token(`${tag}_${nesting === 1 ? 'open' : 'close'}`, tag, nesting)
      token.block = true
      if (name !== '') token.attrSet('class', name)
      return token
    }
    tokens.splice(end, 0, block(-1, 'div'), block(-1, 'section'))
    tokens.splice(exampleEnd + 1, 0, block(1, 'div', 'after'))
    tokens.splice(start, 0, block(-1, 'div'))
    tokens.splice(Math.max(head, 0), 0, block(1, 'section', 'split'), block(1, 'div', 'before'))
  }
}

const findAll = (tokens: Token[], type: string): Token[] => tokens.filter(token => token.type === type)

function findClose(tokens: Token[], start: number): Token {
  const { level, type } = tokens[start] as Token
  const close = type.replace('_open', '_close')
  return tokens.find((token, index) => index > start && token.type === close && token.level === level) as Token
}
