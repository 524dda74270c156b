/** What the public hosts have beside their operations: every document, at its address. */
import type { Config } from '../../config/config.ts'
import { readContent, readContentBytes } from '../../content/files.ts'
import type { Clock } from '../../time.ts'
import { changingRoute, documentRoute, pageRoute, representation } from '../documents.ts'
import { pageSecurity } from '../page-security.ts'
import type { Headers, Route } from '../router.ts'
import { markdownOf, paths, type Urls, urlsOf } from '../urls.ts'
import { agentCard } from './agent-card.ts'
import { API_CATALOG_TYPE, apiCatalog } from './api-catalog.ts'
import { robotsTxt, securityTxt, sitemapXml } from './crawlers.ts'
import { openApiDocument } from './openapi.ts'
import { publicPageVariables } from './page-variables.ts'
import { LAYOUT, llmsText, type PageName, type PublicPage, publicPages } from './public-pages.ts'

export type Documents = Record<'site' | 'learn', Record<string, Route>>

type Parts = {
  config: Pick<Config, 'baseUrl' | 'learnUrl' | 'settings'>
  contentDirs: string[]
  clock: Clock
}

const TEXT = 'text/plain; charset=utf-8'
const HTML = 'text/html; charset=utf-8'
/** RFC 7763 section 2; with tables, it is the variant of RFC 7764 section 3.2. */
const MARKDOWN = 'text/markdown; charset=utf-8; variant=GFM'

/** Makes every document. Throws an Error that names the file where the content cannot be used. */
export function createDocuments({ config, contentDirs, clock }: Parts): Documents {
  const urls = urlsOf(config)
  const facts = publicPageVariables(config)
  const catalog = documentRoute(
    representation(API_CATALOG_TYPE, asJson(apiCatalog(urls)), {
      Link: link(urls.catalog, 'api-catalog'),
    }),
  )
  const card = documentRoute(representation('application/json', asJson(agentCard(config))))
  return {
    site: {
      ...redirects(urls),
      ...pageRoutes(publicPages(facts, contentDirs), urls, contentDirs),
      [paths.openapi]: documentRoute(
        representation('application/json', asJson(openApiDocument(config))),
      ),
      [paths.catalog]: catalog,
      [paths.agentCard]: card,
      [paths.earlierAgentCard]: card,
      [paths.llms]: documentRoute(representation(TEXT, llmsText(facts, contentDirs))),
      [paths.robots]: documentRoute(representation(TEXT, robotsTxt(urls))),
      [paths.sitemap]: documentRoute(representation('application/xml', sitemapXml(urls))),
      ...securityRoute(urls, config.settings.contacts.security, clock),
      '/favicon.svg': documentRoute(
        representation('image/svg+xml', readContent('public/favicon.svg', contentDirs)),
      ),
      '/favicon.ico': documentRoute(
        representation('image/x-icon', readContentBytes('public/favicon.ico', contentDirs)),
      ),
    },
    learn: { [paths.catalog]: catalog },
  }
}

/** Each page at its address and, in Markdown, at its twin's. */
function pageRoutes(
  pages: Record<PageName, PublicPage>,
  urls: Urls,
  contentDirs: string[],
): Record<string, Route> {
  const security = publicPageSecurity(contentDirs)
  return Object.fromEntries(
    Object.entries(pages).flatMap(([name, page]) => {
      const path = paths[name as PageName]
      const url = urls[name as PageName]
      const html = representation(HTML, page.html, {
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
      const markdown = representation(MARKDOWN, page.markdown, inMarkdown)
      return [
        [path, pageRoute(html, markdown)],
        [markdownOf(path), documentRoute(markdown)],
      ]
    }),
  )
}

/** They load nothing but their icon and what else this host has, and have no forms. */
function publicPageSecurity(contentDirs: string[]): Headers {
  return pageSecurity(LAYOUT, readContent(LAYOUT, contentDirs), [
    "img-src 'self'",
    // For programs that look at a page from within it, and at what is beside it.
    "connect-src 'self'",
    "form-action 'none'",
  ])
}

/** What people type, and the page that they mean. */
const meant = {
  '/': paths.developers,
  '/developers/': paths.developers,
  '/docs': paths.docs,
  '/docs/': paths.docs,
  '/docs/api/': paths.docs,
  '/pricing/': paths.pricing,
}

const redirects = ({ catalog }: Urls): Record<string, Route> =>
  Object.fromEntries(
    Object.entries(meant).map(([typed, page]) => {
      const headers = {
        Location: page,
        Link: link(catalog, 'api-catalog'),
        'Cache-Control': 'public, max-age=300',
      }
      return [typed, { GET: async () => ({ status: 302, headers, body: '' }) }]
    }),
  )

/** Published where the operator has said whom to tell. */
function securityRoute(
  urls: Urls,
  contact: string | undefined,
  clock: Clock,
): Record<string, Route> {
  if (contact === undefined) return {}
  const write = () => securityTxt(urls, contact, clock.now())
  return { [paths.security]: changingRoute(TEXT, write) }
}

const asJson = (document: object): string => `${JSON.stringify(document, null, 2)}\n`

/** A target of a Link header (RFC 8288 section 3). */
const link = (url: string, rel: string, type?: string): string =>
  `<${url}>; rel="${rel}"${type === undefined ? '' : `; type="${type}"`}`
