/** The API catalog (RFC 9727): the operations, and where each is described. */
import { markdownOf, type Urls } from '../urls.ts'

/** RFC 9727 section 4.2, with its profile; RFC 9264 section 4.2 defines no charset for it. */
export const API_CATALOG_TYPE = 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"'

/**
 * A linkset (RFC 9264 section 4.2) with both operations as items (RFC 9727 section 3.1). It links each of them to its
 * documents (RFC 8631) and to the policy for agents as its terms (RFC 6903 section 4). Student interest has no
 * machine-readable description, and must never get one.
 */
export function apiCatalog(urls: Urls): object {
  const documented = {
    'service-doc': [
      { href: urls.docs, type: 'text/html', title: 'API reference' },
      { href: markdownOf(urls.docs), type: 'text/markdown', title: 'API reference' },
    ],
    'terms-of-service': [{ href: urls.policy, type: 'text/html', title: 'Policy for agents' }],
  }
  return {
    linkset: [
      {
        anchor: urls.catalog,
        item: [
          { href: urls.siteInterest, title: 'Submit site interest' },
          { href: urls.studentInterest, title: 'Submit student interest' },
        ],
      },
      {
        anchor: urls.siteInterest,
        'service-desc': [{ href: urls.openapi, type: 'application/json', title: 'OpenAPI 3.1 description' }],
        ...documented,
      },
      { anchor: urls.studentInterest, ...documented },
    ],
  }
}
