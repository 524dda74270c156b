/** The routes of the public hosts besides their operations: every document at its path. */
import { type Brand, createBrand, logoOrigins } from '../../content/brand.ts'
import { type ContentFolder, readContent } from '../../content/content-files.ts'
import { COMMON, NOT_COM, REAL } from '../../leads/body/doubtful-contact.ts'
import { type Clock, startOfDay } from '../../platform/time.ts'
import { changingRoute, documentRoute, pageRoute, representation } from '../documents.ts'
import { pageSecurity } from '../page-security.ts'
import { type PageName, pageNames, pageTable } from '../page-table.ts'
import type { Handler, Headers, Route } from '../router.ts'
import { FORM_SCRIPT, markdownOf, paths, SEARCH, type Urls, urlsOf } from '../urls.ts'
import { agentCard } from './agent-card.ts'
import { API_CATALOG_TYPE, apiCatalog } from './api-catalog.ts'
import { brandImageRoutes } from './brand-images.ts'
import { robotsTxt, securityTxt, sitemapXml } from './crawlers.ts'
import { openApiDocument } from './openapi.ts'
import { publicPageVariables } from './page-variables.ts'
import type { PublicConfig } from './public-config.ts'
import { LAYOUT, loadLlmsText, loadPublicPages, loadSearchPage, type PublicPage } from './public-pages.ts'

export type Documents = Record<'site' | 'learn', Record<string, Route>>

type DocumentSources = { config: PublicConfig; contentDirs: ContentFolder[]; clock: Clock; tryOut: boolean }

const TEXT = 'text/plain; charset=utf-8'
const HTML = 'text/html; charset=utf-8'
/** RFC 7763 section 2. Because the text has tables, it is the variant of RFC 7764 section 3.2. */
const MARKDOWN = 'text/markdown; charset=utf-8; variant=GFM'

/**
 * Reads and makes every document. Documents with examples are rendered at the first request of each day, since the
 * examples contain the date; with `tryOut`, also now. Throws an Error that names the file if the content cannot be
 * used.
 */
export function createDocuments({ config, contentDirs, clock, tryOut }: DocumentSources): Documents {
  const urls = urlsOf(config)
  const brand = createBrand(config.settings.school, config.baseUrl)
  const catalog = documentRoute(
    representation(API_CATALOG_TYPE, asJson(apiCatalog(urls)), { Link: link(urls.catalog, 'api-catalog') }),
  )
  const render = documentsOfDay(config, contentDirs, brand)
  if (tryOut) render(startOfDay(clock.now()))
  const script = { [FORM_SCRIPT]: formScriptRoute(urls, config.settings.forms.clickIds, contentDirs) }
  const card = documentRoute(representation('application/json', asJson(agentCard(config))))
  return {
    site: {
      ...redirects(urls),
      ...renderedDaily(render, clock),
      [paths.catalog]: catalog,
      [paths.agentCard]: card,
      [paths.earlierAgentCard]: card,
      [paths.robots]: documentRoute(representation(TEXT, robotsTxt(urls))),
      [paths.sitemap]: documentRoute(representation('application/xml', sitemapXml(urls))),
      ...securityRoute(urls, config.settings.contacts.security, clock),
      ...script,
      ...brandImageRoutes(config.settings, brand, contentDirs),
    },
    learn: { [paths.catalog]: catalog, ...script, ...formsElsewhere(urls) },
  }
}

/** The paths of the documents with examples. */
const datedPaths = [
  SEARCH,
  ...pageNames.flatMap(name => [paths[name], markdownOf(paths[name])]),
  paths.openapi,
  paths.llms,
]

/** The function that renders the documents with examples for the day that began at `today`. */
function documentsOfDay(config: PublicConfig, contentDirs: ContentFolder[], brand: Brand) {
  const urls = urlsOf(config)
  const security = publicPageSecurity(contentDirs, brand, urls)
  const pages = loadPublicPages(contentDirs, brand)
  const llmsText = loadLlmsText(contentDirs)
  const searchPage = loadSearchPage(contentDirs, brand)
  return (today: number): Record<string, Route> => {
    const variables = publicPageVariables(config, today)
    const rendered = pages(variables)
    return {
      ...pageRoutes(rendered, urls, security),
      [SEARCH]: searchRoute(searchPage(variables, rendered), security),
      [paths.openapi]: documentRoute(representation('application/json', asJson(openApiDocument(config, today)))),
      [paths.llms]: documentRoute(representation(TEXT, llmsText(variables))),
    }
  }
}

/** Routes to what `render` makes at the first request of each day. */
function renderedDaily(render: (today: number) => Record<string, Route>, clock: Clock): Record<string, Route> {
  let rendered: { day: number; routes: Record<string, Route> } | undefined
  const ofToday = (): Record<string, Route> => {
    const day = startOfDay(clock.now())
    if (rendered?.day !== day) rendered = { day, routes: render(day) }
    return rendered.routes
  }
  return Object.fromEntries(
    datedPaths.map((path): [string, Route] => [
      path,
      {
        GET: (...request) => {
          const { GET } = ofToday()[path] as { GET: Handler }
          return GET(...request)
        },
      },
    ]),
  )
}

/** Each page at its path, in HTML or Markdown, and its Markdown version at a path of its own. */
function pageRoutes(pages: Record<PageName, PublicPage>, urls: Urls, security: Headers): Record<string, Route> {
  return Object.fromEntries(
    pageNames.flatMap(name => {
      const path = paths[name]
      const url = urls[name]
      const html = representation(HTML, pages[name].html, {
        ...security,
        Link: [
          link(markdownOf(url), 'alternate', 'text/markdown'),
          link(urls.catalog, 'api-catalog'),
          link(urls.openapi, 'service-desc', 'application/json'),
        ].join(', '),
      })
      const inMarkdown = {
        Link: [link(url, 'canonical'), link(urls.catalog, 'api-catalog')].join(', '),
        'Content-Location': markdownOf(path),
      }
      const markdown = representation(MARKDOWN, pages[name].markdown, inMarkdown)
      return [
        [path, pageRoute(html, markdown)],
        [markdownOf(path), documentRoute(markdown)],
      ]
    }),
  )
}

/** Pages load only the logo, their icon and documents of this host, show only our forms, and send only dry runs. */
function publicPageSecurity(contentDirs: ContentFolder[], brand: Brand, urls: Urls): Headers {
  return pageSecurity(LAYOUT, readContent(LAYOUT, contentDirs), {
    styles: [brand.css],
    images: ["'self'", ...logoOrigins(brand)],
    // For the Markdown of a page, for dry runs of both operations, and for programs that work inside a page and read
    // the documents besides it.
    allowed: [
      `connect-src 'self' ${urls.siteInterest} ${urls.studentInterest}`,
      `frame-src ${urls.learn} ${urls.base}`,
      "form-action 'self'",
    ],
  })
}

/** `GET /search?q=retry`. */
const searchRoute = (write: (query: string) => string, security: Headers): Route => ({
  GET: async ({ url = '' }) => {
    const query = new URLSearchParams(url.split('?')[1]).get('q') ?? ''
    const headers = { ...security, 'Content-Type': HTML, 'X-Robots-Tag': 'noindex' }
    return { status: 200, headers, body: write(query) }
  },
})

const redirect = (to: string, headers: Headers): Route => ({
  GET: async () => ({
    status: 302,
    headers: { Location: to, 'Cache-Control': 'public, max-age=300', ...headers },
    body: '',
  }),
})

/** Redirects from the paths that people type to the page that they mean. */
const redirects = ({ catalog }: Urls): Record<string, Route> =>
  Object.fromEntries(
    pageNames.flatMap(name => {
      const { path, redirectsFrom } = pageTable[name]
      const route = redirect(path, { Link: link(catalog, 'api-catalog') })
      return [`${path}/`, ...redirectsFrom].map(typed => [typed, route])
    }),
  )

/** The page about forms is on the site host; people also look for it beside the form of the learn host. */
const formsElsewhere = ({ forms }: Urls): Record<string, Route> =>
  Object.fromEntries([paths.forms, `${paths.forms}/`].map(path => [path, redirect(forms, {})]))

/** The route exists if the settings name a contact. */
function securityRoute(urls: Urls, contact: string | undefined, clock: Clock): Record<string, Route> {
  if (contact === undefined) return {}
  const write = () => securityTxt(urls, contact, clock.now())
  return { [paths.security]: changingRoute(TEXT, write) }
}

const asJson = (document: object): string => `${JSON.stringify(document, null, 2)}\n`

/** A target of a Link header (RFC 8288 section 3). */
const link = (url: string, rel: string, type?: string): string =>
  `<${url}>; rel="${rel}"${type === undefined ? '' : `; type="${type}"`}`

/** The files of the forms' script, in the order in which they need each other. */
const SCRIPT_FILES = ['forms/fields.js', 'forms/form.js', 'forms/outbox.js', 'forms/kiosk.js', 'forms/embed.js']

/**
 * The script of the forms: one file for the hosted pages and for pages that embed a form. Nothing in it is visible to
 * the page around it, and if a page loads it twice, it runs once. Throws an Error that names the file if one cannot be
 * read.
 */
function formScript(urls: Urls, clickIds: readonly string[], contentDirs: ContentFolder[]): string {
  const forms = { site: urls.siteForm, student: urls.studentForm }
  return [
    '(() => {',
    "'use strict'",
    "if (customElements.get('frontdesk-form')) return",
    `const FORMS = ${JSON.stringify(forms)}`,
    `const CLICK_IDS = ${JSON.stringify(clickIds)}`,
    `const [COMMON, REAL, NOT_COM] = [${JSON.stringify(COMMON)}, ${JSON.stringify([...REAL])}, ${NOT_COM}]`,
    ...SCRIPT_FILES.map(name => withoutComments(readContent(name, contentDirs)).trim()),
    '})()\n',
  ].join('\n')
}

/**
 * On a slow network, each byte counts. Removes only whole lines, comments and empty ones: what looks like a comment may be
 * part of a text.
 */
const withoutComments = (script: string): string =>
  script
    .replace(/^ *\/\*\*.*?\*\/\n/gms, '')
    .replace(/^ *\/\/.*\n/gm, '')
    .replace(/^ +/gm, '')
    .replace(/\n+/g, '\n')

/** Any page may load it, even one that isolates itself (COEP). */
const formScriptRoute = (urls: Urls, clickIds: readonly string[], contentDirs: ContentFolder[]): Route =>
  documentRoute(
    representation('text/javascript; charset=utf-8', formScript(urls, clickIds, contentDirs), {
      'Cross-Origin-Resource-Policy': 'cross-origin',
    }),
  )
