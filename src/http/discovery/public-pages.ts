/**
 * The public pages: Markdown files with Liquid in them, as they stand for programs and in one layout
 * for people. `/llms.txt` is made from the same facts in the same way.
 */
import { renderPage } from '../../content/page-markdown.ts'
import { createTemplates } from '../../content/templates.ts'
import { markdownOf, paths } from '../urls.ts'
import type { PublicPageVariables } from './page-variables.ts'

/** In the order in which they are shown. */
const pages = {
  developers: 'Developers',
  docs: 'API reference',
  pricing: 'Pricing',
} as const

export type PageName = keyof typeof pages

/** Sections that other documents link to by their ids, which a page of the operator must have, too. */
const named: Record<PageName, string[]> = {
  developers: ['agents', 'discovery', 'plain-http-json'],
  docs: ['site-interest', 'student-interest', 'dry-run', 'retries', 'limits'],
  pricing: [],
}

export type PublicPage = { html: string; markdown: string }

export const LAYOUT = 'layouts/public.html'

/**
 * Renders every page from the first of `contentDirs` that holds it. Throws an Error that names the
 * file and the problem when one is missing, broken, or uses a variable that does not exist.
 */
export function publicPages(
  facts: PublicPageVariables,
  contentDirs: string[],
): Record<PageName, PublicPage> {
  const templates = createTemplates(contentDirs, 'trustedMarkdown')
  const layout = templates.layout(LAYOUT)

  const render = (page: PageName): PublicPage => {
    const file = `public/${page}.md`
    const { head, markdown } = templates.markdown(file, ['title', 'description'])(facts)
    const text = `${markdown.replace(/\n{3,}/g, '\n\n').trim()}\n`
    const { html: body, contents } = renderPage(text)
    const missing = named[page].find(id => !body.includes(` id="${id}"`))
    if (missing) throw new Error(`${file}: needs a heading {#${missing}}`)
    const whole = layout({ ...facts, ...frameOf(page, facts), ...head, body, contents })
    if (!whole.includes(body)) throw new Error(`${LAYOUT}: must show the text, {{ body | raw }}`)
    return { html: whole, markdown: forPrograms(text, page, facts) }
  }
  return { developers: render('developers'), docs: render('docs'), pricing: render('pricing') }
}

/** `/llms.txt`. Throws as `publicPages` does, and where it has no title. */
export function llmsText(facts: PublicPageVariables, contentDirs: string[]): string {
  const name = 'public/llms.txt'
  const text = createTemplates(contentDirs, 'trustedMarkdown').text(name)(facts)
  if (!/^# .+\n/.test(text)) throw new Error(`${name}: must begin with a title, "# …"`)
  return text
}

/** Where a page stands among the others, for the layout. */
const frameOf = (page: PageName, { urls }: PublicPageVariables) => ({
  url: urls[page],
  markdown_url: markdownOf(urls[page]),
  base: urls.base,
  catalog_url: urls.catalog,
  nav: Object.entries(pages).map(([name, title]) => ({
    title,
    path: paths[name as PageName],
    current: name === page,
  })),
})

/**
 * Without the ids of headings, which are for HTML; so links to these lead there, and all others to
 * the pages in Markdown.
 */
const forPrograms = (markdown: string, page: PageName, { urls }: PublicPageVariables): string =>
  Object.keys(pages)
    .map(name => urls[name as PageName])
    .reduce(
      (text, url) => text.replaceAll(`](${url})`, `](${markdownOf(url)})`),
      markdown.replace(/^(#+ .+) \{#[\w-]+\}$/gm, '$1').replaceAll('](#', `](${urls[page]}#`),
    )
