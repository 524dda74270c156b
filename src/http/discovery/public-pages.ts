/**
 * The public pages: Markdown files with Liquid in them, as they stand for programs and in one layout
 * for people. `/llms.txt` is made from the same facts in the same way.
 */
import { Liquid } from 'liquidjs'
import { renderPage } from '../../content/page-markdown.ts'
import { about, readContent, splitHead } from '../../content/templates.ts'
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
  const { html, markdown } = createEngines(contentDirs)
  const layout = about(LAYOUT, () => html.parse(readContent(LAYOUT, contentDirs)))
  const write = (text: string): string => markdown.parseAndRenderSync(text, facts)

  const render = (page: PageName): PublicPage => {
    const file = `public/${page}.md`
    const { title, description, text } = about(file, () => {
      const { head, body } = splitHead(readContent(file, contentDirs), ['title', 'description'])
      return {
        title: write(head.title),
        description: write(head.description),
        text: `${write(body)
          .replace(/\n{3,}/g, '\n\n')
          .trim()}\n`,
      }
    })
    const { html: body, contents } = renderPage(text)
    const missing = named[page].find(id => !body.includes(` id="${id}"`))
    if (missing) throw new Error(`${file}: needs a heading {#${missing}}`)
    const variables = { ...facts, ...frameOf(page, facts), title, description, body, contents }
    const whole: string = about(LAYOUT, () => html.renderSync(layout, variables))
    if (!whole.includes(body)) throw new Error(`${LAYOUT}: must show the text, {{ body | raw }}`)
    return { html: whole, markdown: forPrograms(text, page, facts) }
  }
  return { developers: render('developers'), docs: render('docs'), pricing: render('pricing') }
}

/** `/llms.txt`. Throws as `publicPages` does, and where it has no title. */
export function llmsText(facts: PublicPageVariables, contentDirs: string[]): string {
  const name = 'public/llms.txt'
  const { markdown } = createEngines(contentDirs)
  return about(name, () => {
    const text = markdown.parseAndRenderSync(readContent(name, contentDirs), facts) as string
    if (!/^# .+\n/.test(text)) throw new Error('must begin with a title, "# …"')
    return text
  })
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

/**
 * Facts are our own and the operator's words, so Markdown gets them as they are. `code` makes them
 * code, `cell` part of a table.
 */
function createEngines(contentDirs: string[]) {
  const common = {
    root: contentDirs,
    relativeReference: false,
    strictVariables: true,
    strictFilters: true,
  }
  const markdown = new Liquid(common)
  markdown.registerFilter('code', codeSpan)
  markdown.registerFilter('cell', (value: unknown) => String(value ?? '').replaceAll('|', '\\|'))
  return { html: new Liquid({ ...common, outputEscape: 'escape' }), markdown }
}

/** Between more backticks than it has itself (CommonMark section 6.1). */
function codeSpan(value: unknown): string {
  const text = String(value ?? '')
  const longest = Math.max(0, ...(text.match(/`+/g) ?? []).map(({ length }) => length))
  const fence = '`'.repeat(longest + 1)
  return longest > 0 ? `${fence} ${text} ${fence}` : fence + text + fence
}
