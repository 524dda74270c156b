/**
 * The pages behind the links in our emails: Markdown files with Liquid, in one layout. They work
 * without JavaScript, load nothing, and leave no trace in caches or search engines.
 */
import type { Settings } from '../../config/settings.ts'
import { type Brand, createBrand, logoOrigins } from '../../content/brand.ts'
import { type ContentFolder, fileIn, languageOfFile, ROOT_LANGUAGE, readContent } from '../../content/content-files.ts'
import { iconUrl, svgIcon } from '../../content/icon.ts'
import { schoolVariables } from '../../content/school-variables.ts'
import { templateLoader } from '../../content/templates.ts'
import { pageSecurity } from '../page-security.ts'
import type { Headers, HttpResponse } from '../router.ts'
import type { SecurityEvents } from '../security-events.ts'
import type { PageVariables } from './link-page-variables.ts'
import { samplePages } from './sample-pages.ts'

/** The pages that students and visitors see; the others are for the staff. */
export const visitorPages = [
  ...(['unsubscribe', 'unsubscribed', 'not-me', 'not-me-done', 'nothing-stored'] as const),
  ...(['broken-link', 'home', 'not-found', 'error'] as const),
] as const
export type VisitorPage = (typeof visitorPages)[number]

export type Pages = {
  /** A page as a response, in English. */
  show<Name extends keyof PageVariables>(
    name: Name,
    variables: PageVariables[Name],
    status?: number,
    footer?: Footer,
  ): HttpResponse
  /** A page for students and visitors, in a language of the school. */
  showIn<Name extends VisitorPage>(
    language: string,
    name: Name,
    variables: PageVariables[Name],
    status?: number,
  ): HttpResponse
}

/** The footer of a page for the staff: in whose name its links act (null for a team), and their last day, in words. */
export type Footer = { actor: string | null; until: string }

const LAYOUT = 'layouts/page.html'

/**
 * Loads every page from the first of `contentDirs` that has it. `tryOut`: also renders every sample of each page.
 *
 * Throws an Error that names the file and the problem if one is missing or, with `tryOut`, broken.
 */
export function createPages({
  settings,
  baseUrl,
  contentDirs,
  tryOut,
}: {
  settings: Settings
  baseUrl: string
  contentDirs: ContentFolder[]
  tryOut: boolean
}): Pages {
  const brand = createBrand(settings.school, baseUrl)
  // The layout uses these variables on every page, so they must have values.
  const unasked = {
    counselors: null,
    chosen: null,
    people: null,
    problem: null,
    undo_url: null,
    note_url: null,
    callback_url: null,
    resume_url: null,
    saved: null,
    footer: null,
  }
  const common = { school: schoolVariables(settings.school), ...unasked }
  const load = templateLoader(contentDirs, {
    layout: LAYOUT,
    lines: ['title', 'button'],
    frame: { brand, icon: iconUrl(svgIcon(contentDirs, brand, settings), baseUrl) },
  })
  const headers = pageHeaders(readContent(LAYOUT, contentDirs), brand)
  const pages = new Map<string, ReturnType<typeof load>>()
  const loadPage = (name: keyof PageVariables, language: string) => {
    const file = `pages/${name}.md`
    if (languageOfFile(file, language, contentDirs) !== language) return
    const footer = { actor: 'Kim Lee', until: 'May 1' }
    const complete = samplePages[name].flatMap(sample => [
      { ...common, ...sample },
      { ...common, ...sample, footer },
    ])
    pages.set(fileIn(language, name), load(file, tryOut ? complete : [], language))
  }
  for (const name of Object.keys(samplePages) as (keyof PageVariables)[]) loadPage(name, ROOT_LANGUAGE)
  for (const language of settings.languages.filter(one => one !== ROOT_LANGUAGE))
    for (const name of visitorPages) loadPage(name, language)

  const html = (name: string, variables: object): string =>
    (pages.get(name) as ReturnType<typeof load>)({ ...common, ...variables }).html
  return {
    show: (name, variables, status = 200, footer) => ({
      status,
      headers,
      body: html(name, { ...variables, footer: footer ?? null }),
    }),
    showIn: (wanted, name, variables, status = 200) => {
      const language = pages.has(fileIn(wanted, name)) ? wanted : ROOT_LANGUAGE
      return {
        status,
        headers: { ...headers, 'Content-Language': language },
        body: html(fileIn(language, name), variables),
      }
    },
  }
}

/** Makes pages that also count each page that is shown because a link is not valid. */
export const countRejected = (pages: Pages, events: SecurityEvents): Pages => ({
  show: (name, ...rest) => {
    if (REJECTED.has(name)) events.count('rejectedLinks')
    return pages.show(name, ...rest)
  },
  showIn: (language, name, ...rest) => {
    if (REJECTED.has(name)) events.count('rejectedLinks')
    return pages.showIn(language, name, ...rest)
  },
})

const REJECTED = new Set<keyof PageVariables>(['broken', 'broken-link', 'expired', 'left'])

/** The pages may send forms to us and show the logo, and leave no trace. */
const pageHeaders = (layout: string, brand: Brand): Headers => ({
  ...pageSecurity(LAYOUT, layout, {
    styles: [brand.css],
    images: ['data:', ...logoOrigins(brand)],
    allowed: ["form-action 'self'"],
  }),
  'Content-Type': 'text/html; charset=utf-8',
  'X-Robots-Tag': 'noindex, nofollow',
  'Cache-Control': 'no-store',
})
