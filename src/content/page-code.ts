/** Code in our pages, which can be copied, and the URLs of operations. */
import type { MarkdownIt, Token } from 'markdown-it'
import { escapeHtml } from './escape-html.ts'
import { highlighted } from './highlight.ts'

/** Code of at most this many characters stays on one line, even where a browser could break it, as after `?`. */
const SHORT = 24

/**
 * A fence may have a title beside its language: ```` ```sh title="A first request" ````. A paragraph
 * that is nothing but code such as `POST https://www.example.edu/api` shows the URL of an operation.
 */
export function showCode(markdown: MarkdownIt): void {
  const { unescapeAll } = markdown.utils
  const { rules } = markdown.renderer

  const figure = ({ info, content }: Token): string => {
    const [word = ''] = info.trim().split(/\s/)
    return codeFigure(unescapeAll(titleOf(info) ?? languages.get(word) ?? (word || 'Code')), content, word)
  }
  rules['fence'] = (tokens, index) => figure(tokens[index] as Token)
  rules['code_block'] = (tokens, index) => figure(tokens[index] as Token)
  rules['endpoint'] = (tokens, index) => {
    const { info: method, content } = tokens[index] as Token
    return figureOf({ kind: 'code endpoint', caption: method, label: `URL, ${method}`, html: escapeHtml(content) })
  }
  markdown.core.ruler.push('short-code', ({ tokens }) => {
    for (const token of tokens.flatMap(({ children }) => children ?? []))
      if (token.type === 'code_inline' && token.content.length <= SHORT) token.attrJoin('class', 'short')
  })
  markdown.core.ruler.push('endpoints', ({ tokens, Token }) => {
    for (const [index, { type, children }] of tokens.entries()) {
      const [code, ...others] = children ?? []
      if (type !== 'inline' || code?.type !== 'code_inline' || others.length > 0) continue
      const [, method, url] = /^([A-Z]+) (https?:\/\/\S+)$/.exec(code.content) ?? []
      if (method === undefined || url === undefined) continue
      if (tokens[index - 1]?.type !== 'paragraph_open') continue
      const endpoint = new Token('endpoint', '', 0)
      tokens.splice(index - 1, 3, Object.assign(endpoint, { info: method, content: url }))
    }
  })
}

/** Code in a box with a title. The script of its page adds a button that copies it. */
export const codeFigure = (title: string, code: string, language: string): string =>
  figureOf({ kind: 'code', caption: title, label: title, html: highlighted(code.trimEnd(), language) })

function figureOf({ kind, caption, label, html }: Record<string, string>): string {
  const name = escapeHtml(String(label))
  return `<figure class="${kind}">
<figcaption>${escapeHtml(String(caption))}</figcaption>
<pre tabindex="0" role="group" aria-label="${name}"><code>${html}</code></pre>
</figure>
`
}

export const titleOf = (info: string): string | undefined => /\stitle="([^"]+)"/.exec(info)?.[1]

/** The names of languages, by the words that fences use. */
const languages = new Map([
  ['html', 'HTML'],
  ['http', 'HTTP'],
  ['js', 'JavaScript'],
  ['json', 'JSON'],
  ['python', 'Python'],
  ['sh', 'Shell'],
  ['ts', 'TypeScript'],
])
