/**
 * The public pages. Their URLs, routes, redirects and Markdown versions, the navigation and the sitemap all derive
 * from this table, in its order. To add a page, add a row here and write `content/public/NAME.md`.
 */

type PublicPage = {
  /** The path on the site host. The Markdown version is at the same path with `.md`. */
  path: string
  /** The title in the navigation. */
  title: string
  /** Paths that people type when they look for this page. The page's own path with a final slash need not be listed. */
  redirectsFrom: readonly string[]
  /** Ids of sections that other documents link to, which an operator's own page must have, too. */
  sections: readonly string[]
}

export const pageTable = {
  developers: {
    path: '/developers',
    title: 'Developers',
    redirectsFrom: ['/'],
    sections: ['agents', 'discovery', 'plain-http-json'],
  },
  docs: {
    path: '/docs/api',
    title: 'API reference',
    redirectsFrom: ['/docs', '/docs/'],
    sections: ['site-interest', 'student-interest', 'dry-run', 'retries', 'limits'],
  },
  forms: { path: '/forms', title: 'Forms', redirectsFrom: [], sections: ['link', 'element', 'iframe'] },
  pricing: { path: '/pricing', title: 'Pricing', redirectsFrom: [], sections: [] },
} as const satisfies Record<string, PublicPage>

export type PageName = keyof typeof pageTable

export const pageNames = Object.keys(pageTable) as PageName[]

/** An object with one entry for each page. */
export const forEachPage = <T>(make: (name: PageName) => T): Record<PageName, T> =>
  Object.fromEntries(pageNames.map(name => [name, make(name)])) as Record<PageName, T>
