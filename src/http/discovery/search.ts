/** The search in the public pages, without an outside service or a script. Its index is made with the pages. */
import { folded } from '../../platform/free-name.ts'
import { type PageName, pageNames, pageTable } from '../page-table.ts'

/** A part of a page below one heading: its sentences, and the lines of its code. */
type Section = { title: string; url: string; text: string; code: readonly string[] }

export type Found = { title: string; url: string; excerpt: string }

/** What a query finds: the best sections, and how many there are in all. */
export type Results = { words: string[]; count: number; best: Found[] }

/** The longest query, and the most results; anything beyond is cut off. */
const LONGEST_QUERY = 100
const MOST_FOUND = 20

/** How many characters an excerpt has before and after the word. */
const BEFORE = 60
const AFTER = 140

/**
 * Makes a function that finds the sections that contain every word of a query. Sections with the words in their heading
 * come first, and what only code has last.
 */
export function createSearch(pages: Record<PageName, { body: string }>): (query: string) => Results {
  const sections = pageNames.flatMap(name => sectionsOf(name, pages[name].body))
  return query => {
    const words = folded(query.slice(0, LONGEST_QUERY)).split(/\s+/).filter(Boolean)
    if (words.length === 0) return { words, count: 0, best: [] }
    const found = sections
      .flatMap(section => {
        const [title, text, code] = [section.title, section.text, section.code.join('\n')].map(folded) as Texts
        const hits = words.map(
          word =>
            (title.includes(word) ? 20 : 0) +
            2 * Math.min(text.split(word).length - 1, 5) +
            (code.includes(word) ? 1 : 0),
        )
        return hits.every(one => one > 0) ? [{ section, score: hits.reduce((sum, one) => sum + one) }] : []
      })
      .toSorted((one, other) => other.score - one.score)
    const best = found
      .slice(0, MOST_FOUND)
      .map(({ section }) => ({ title: section.title, url: section.url, excerpt: excerptOf(section, words) }))
    return { words, count: found.length, best }
  }
}

type Texts = [title: string, text: string, code: string]

const CODE = /<figure class="code.*?<\/figure>/gs

function sectionsOf(name: PageName, html: string): Section[] {
  const { path, title: page } = pageTable[name]
  const parts = html.split(/(?=<h[23] id=")/)
  return parts.map(part => {
    const [whole = '', id, heading = ''] = /^<h[23] id="([^"]*)"[^>]*>(.*?)<\/h[23]>/s.exec(part) ?? []
    const body = part.slice(whole.length)
    return {
      title: id === undefined ? page : `${page}: ${textIn(heading)}`,
      url: id === undefined ? path : `${path}#${id}`,
      text: textIn(body.replace(CODE, ' ')),
      code: (body.match(CODE) ?? []).flatMap(figure => figure.split('\n').map(textIn)),
    }
  })
}

/** The names of tabs say nothing about what is in them. A tag within a line, such as that of a color, is not a space. */
const textIn = (html: string): string =>
  html
    .replace(/<label\b.*?<\/label>/gs, ' ')
    .replace(/<\/?(?:a|b|code|em|i|kbd|span|strong)\b[^>]*>/g, '')
    .replace(/<[^>]*>/g, ' ')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
    .replace(/\s+/g, ' ')
    .trim()

/** Around the first word that the sentences have. If none is in them, the line of code that has it. */
function excerptOf({ text, code }: Section, words: readonly string[]): string {
  const word = words.find(one => folded(text).includes(one))
  if (word !== undefined) return around(text, word)
  const line = code.find(one => words.some(each => folded(one).includes(each)))
  return around(line ?? text, words.find(one => folded(line ?? '').includes(one)) ?? '')
}

function around(text: string, word: string): string {
  const at = Math.max(0, folded(text).indexOf(word))
  const from = at <= BEFORE ? 0 : text.indexOf(' ', at - BEFORE) + 1
  const to = at + AFTER >= text.length ? text.length : text.lastIndexOf(' ', at + AFTER)
  // Without what belongs to the words before and after it.
  const part = text.slice(from, to).replace(from > 0 ? /^[^\p{L}\p{N}]+/u : '', '')
  return `${from > 0 ? '… ' : ''}${to < text.length ? `${part.replace(/[\s,;:–(]+$/, '')} …` : part}`
}
