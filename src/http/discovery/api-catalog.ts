/** The API catalog (RFC 9727): which operations there are, and where each is described. */
import { markdownOf, type Places } from '../places.ts'

/** RFC 9727 section 4.2, with its profile; RFC 9264 section 4.2 defines no charset for it. */
export const API_CATALOG_TYPE =
  'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"'

/**
 * A linkset (RFC 9264 section 4.2) with both operations as items (RFC 9727 section 3.1). Each has its
 * documents by the relations of RFC 8631. Student interest has none for machines, and never gets one.
 */
export function apiCatalog(places: Places): object {
  const documents = [
    { href: places.docs, type: 'text/html' },
    { href: markdownOf(places.docs), type: 'text/markdown' },
  ]
  return {
    linkset: [
      {
        anchor: places.catalog,
        item: [{ href: places.siteInterest }, { href: places.studentInterest }],
      },
      {
        anchor: places.siteInterest,
        'service-desc': [{ href: places.openapi, type: 'application/json' }],
        'service-doc': documents,
      },
      { anchor: places.studentInterest, 'service-doc': documents },
    ],
  }
}
