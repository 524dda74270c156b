/** Colors the code of our pages: comments, texts, keywords and tags, as most readers of code expect. */
import { escapeHtml } from './escape-html.ts'

type Rules = readonly (readonly [name: 'c' | 's' | 'k', pattern: string])[]

const text = String.raw`"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'`
const words = (list: string): string => String.raw`\b(?:${list})\b`

const script: Rules = [
  ['c', String.raw`\/\/.*|\/\*[^]*?\*\/`],
  ['s', String.raw`${text}|\x60[^\x60]*\x60`],
  [
    'k',
    words(
      'async|await|const|declare|default|export|from|function|if|import|interface|module|namespace|new|return|throw|true|false|null',
    ),
  ],
]

const rulesOf: Record<string, Rules> = {
  html: [
    ['c', '<!--[^]*?-->'],
    ['k', String.raw`<!doctype[^>]*>|<\/?[a-z][\w-]*|\/?>`],
    ['s', text],
  ],
  js: script,
  ts: script,
  tsx: script,
  json: [
    ['s', text],
    ['k', words('true|false|null')],
  ],
  python: [
    ['c', '#.*'],
    ['s', text],
    ['k', words('as|def|elif|else|except|False|for|from|if|import|in|None|not|print|return|True|try|while|with')],
  ],
  sh: [
    ['c', String.raw`(?<=^|\s)#.*`],
    ['s', String.raw`"(?:\\.|[^"\\])*"|'[^']*'`],
    ['k', String.raw`(?<=^|\n)(?:curl|npm|npx|python3)\b|(?<=\s)--?[a-zA-Z][\w-]*`],
  ],
}

const patterns = new Map(
  Object.entries(rulesOf).map(([language, rules]) => [
    language,
    new RegExp(rules.map(([, pattern]) => `(${pattern})`).join('|'), 'gm'),
  ]),
)

/** The code as HTML; a language that we do not know stays in one color. */
export function highlighted(code: string, language: string): string {
  const pattern = patterns.get(language)
  if (pattern === undefined) return escapeHtml(code)
  let html = ''
  let end = 0
  for (const match of code.matchAll(pattern)) {
    const at = match.slice(1).findIndex(group => group !== undefined)
    html += `${escapeHtml(code.slice(end, match.index))}<span class="${rulesOf[language]?.[at]?.[0]}">${escapeHtml(match[0])}</span>`
    end = match.index + match[0].length
  }
  return html + escapeHtml(code.slice(end))
}
