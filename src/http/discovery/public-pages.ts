/**
 * The public pages: Markdown files with Liquid in them, as Markdown for programs and in one layout
 * for people. `/llms.txt` is made from the same variables in the same way.
 */

import type { Brand } from '../../content/brand.ts'
import type { ContentFolder } from '../../content/content-files.ts'
import { escapeHtml } from '../../content/escape-html.ts'
import { withoutContainers } from '../../content/page-containers.ts'
import { renderPage } from '../../content/page-markdown.ts'
import { createTemplates } from '../../content/templates.ts'
import { forEachPage, type PageName, pageNames, pageTable } from '../page-table.ts'
import { markdownOf, SEARCH } from '../urls.ts'
import type { PublicPageVariables } from './page-variables.ts'
import { createSearch, type Results } from './search.ts'

export type PublicPage = { html: string; markdown: string /** The HTML of its text. */; body: string }

export const LAYOUT = 'layouts/public.html'

/**
 * Reads every page from the first of `contentDirs` that has it, and returns the function that renders them. Both throw
 * an Error that names the file and the problem if a page is missing or broken, or uses a variable that does not exist.
 */
export function loadPublicPages(
  contentDirs: ContentFolder[],
  brand: Brand,
): (variables: PublicPageVariables) => Record<PageName, PublicPage> {
  const templates = createTemplates(contentDirs, 'trustedMarkdown')
  const layout = templates.layout(LAYOUT)
  const pages = forEachPage(page => templates.markdown(fileOf(page), ['title', 'description']))

  return variables =>
    forEachPage(page => {
      const { head, markdown } = pages[page](variables)
      const text = `${markdown.replace(/\n{3,}/g, '\n\n').trim()}\n`
      const { html: body, contents } = renderPage(text)
      const missing = pageTable[page].sections.find(id => !body.includes(` id="${id}"`))
      if (missing) throw new Error(`${fileOf(page)}: needs a heading {#${missing}}`)
      const frame = { ...frameOf(page, variables), brand, body, contents }
      const html = layout({ ...variables, ...frame, ...head })
      if (!html.includes(body)) throw new Error(`${LAYOUT}: must show the text, {{ body | raw }}`)
      return { html, markdown: forPrograms(text, page, variables), body }
    })
}

/** The page with the results of a search. Both functions throw like those of the pages. */
export function loadSearchPage(
  contentDirs: ContentFolder[],
  brand: Brand,
): (variables: PublicPageVariables, pages: Record<PageName, PublicPage>) => (query: string) => string {
  const layout = createTemplates(contentDirs, 'trustedMarkdown').layout(LAYOUT)
  return (variables, pages) => {
    const search = createSearch(pages)
    const frame = { ...frameOf(undefined, variables), brand, contents: [], description: 'Search in these pages.' }
    return query => layout({ ...variables, ...frame, title: 'Search', query, body: foundPage(query, search(query)) })
  }
}

function foundPage(query: string, { words, count, best }: Results): string {
  const asked = `<em>${escapeHtml(query.trim())}</em>`
  const said =
    words.length === 0
      ? 'Type a word above, such as <em>retry</em>.'
      : count === 0
        ? `Nothing has ${asked}.`
        : `${count === 1 ? '1 section has' : `${count} sections have`} ${asked}${count > best.length ? `. Here are the best ${best.length}` : ''}.`
  const list = best.map(
    ({ title, url, excerpt }) =>
      `<li><a href="${escapeHtml(url)}">${withMarks(title, words)}</a><p>${withMarks(excerpt, words)}</p></li>`,
  )
  return `<h1>Search</h1>\n<p>${said}</p>${best.length === 0 ? '' : `<ol class="found">${list.join('\n')}</ol>`}`
}

/** A text as HTML that marks each of the words. */
function withMarks(text: string, words: readonly string[]): string {
  const parts = text.split(new RegExp(`(${words.map(word => RegExp.escape(word)).join('|')})`, 'i'))
  return parts.map((part, i) => (i % 2 === 1 ? `<mark>${escapeHtml(part)}</mark>` : escapeHtml(part))).join('')
}

const fileOf = (page: PageName): string => `public/${page}.md`

/** `/llms.txt`. Both functions throw like those of the pages, and throw if it has no title. */
export function loadLlmsText(contentDirs: ContentFolder[]): (variables: PublicPageVariables) => string {
  const name = 'public/llms.txt'
  const render = createTemplates(contentDirs, 'trustedMarkdown').text(name)
  return variables => {
    const text = render(variables)
    if (!/^# .+\n/.test(text)) throw new Error(`${name}: must begin with a title, "# …"`)
    return text
  }
}

/** The variables of the layout: the URLs of a page, or of the search, and the navigation to the others. */
const frameOf = (page: PageName | undefined, { urls }: PublicPageVariables) => ({
  url: page === undefined ? `${urls.base}${SEARCH}` : urls[page],
  markdown_url: page === undefined ? null : markdownOf(urls[page]),
  search_path: SEARCH,
  query: '',
  base: urls.base,
  catalog_url: urls.catalog,
  nav: pageNames.map(name => ({ title: pageTable[name].title, path: pageTable[name].path, current: name === page })),
})

/** The Markdown without the ids of headings, which only HTML has. Links to such an id lead to the HTML page. */
const forPrograms = (markdown: string, page: PageName, { urls }: PublicPageVariables): string =>
  pageNames
    .map(name => urls[name])
    .reduce(
      (text, url) => text.replaceAll(`](${url})`, `](${markdownOf(url)})`),
      withoutContainers(markdown)
        .replace(/^(#+ .+) \{#[\w-]+\}$/gm, '$1')
        .replace(/\n{3,}/g, '\n\n')
        .replaceAll('](#', `](${urls[page]}#`),
    )
