import { deepEqual, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { parseItem, type Token } from 'structured-headers'
import { API_CATALOG_TYPE, apiCatalog } from '../../../src/http/discovery/api-catalog.ts'
import { markdownOf } from '../../../src/http/places.ts'
import { places } from './addresses.ts'
import { linksetProblems } from './linkset.ts'

type Target = { href: string; type?: string }
type Context = { anchor: string } & Record<string, Target[]>

/** As a client gets it. */
const contexts = (): Context[] => JSON.parse(JSON.stringify(apiCatalog(places))).linkset

const relationsOf = (anchor: string): Record<string, Target[]> => {
  const found = contexts().filter(context => context.anchor === anchor)
  deepEqual(found.length, 1)
  const { anchor: _, ...relations } = found[0] as Context
  return relations
}

describe('the API catalog', () => {
  test('is a linkset as RFC 9264 has it', () => {
    deepEqual(linksetProblems(apiCatalog(places)), [])
  })

  test('names both operations as its items, and describes nothing else', () => {
    deepEqual(relationsOf(places.catalog), {
      item: [
        { href: places.siteInterest, title: 'Submit site interest' },
        { href: places.studentInterest, title: 'Submit student interest' },
      ],
    })
    deepEqual(
      contexts().map(({ anchor }) => anchor),
      [places.catalog, places.siteInterest, places.studentInterest],
    )
  })

  test('leads from site interest to its OpenAPI description and to the reference', () => {
    const { 'service-desc': description, 'service-doc': documents } = relationsOf(
      places.siteInterest,
    )
    deepEqual(description, [
      { href: places.openapi, type: 'application/json', title: 'OpenAPI 3.1 description' },
    ])
    deepEqual(documents, [
      { href: places.docs, type: 'text/html', title: 'API reference' },
      { href: markdownOf(places.docs), type: 'text/markdown', title: 'API reference' },
    ])
  })

  test('has no description for machines of student interest', () => {
    const relations = relationsOf(places.studentInterest)
    deepEqual(Object.keys(relations), ['service-doc', 'terms-of-service'])
    for (const { type } of Object.values(relations).flat()) ok(type?.startsWith('text/'))
  })

  test('links only to what there is', () => {
    const there = [...Object.values(places), markdownOf(places.docs)]
    const targets = contexts().flatMap(({ anchor, ...relations }) => [
      anchor,
      ...Object.values(relations)
        .flat()
        .map(({ href }) => href),
    ])
    deepEqual(
      targets.filter(target => !there.includes(target)),
      [],
    )
  })

  test('has the media type and the profile of RFC 9727, and no charset', () => {
    const [type, parameters] = parseItem(API_CATALOG_TYPE)
    deepEqual((type as Token).toString(), 'application/linkset+json')
    deepEqual([...parameters], [['profile', 'https://www.rfc-editor.org/info/rfc9727']])
  })
})

describe('the check of linksets', () => {
  const withContext = (context: object) => ({
    linkset: [{ anchor: places.catalog, ...context }],
  })

  for (const [problem, document] of Object.entries({
    'linkset must be the sole member': { linkset: [], profile: 'x' },
    'linkset must be an array': { linkset: {} },
    'a context needs a relation': withContext({}),
    'an anchor must be an absolute URL': withContext({
      anchor: '/x',
      item: [{ href: places.docs }],
    }),
    'api-catalog must be an array of objects': withContext({ 'api-catalog': places.catalog }),
    'item needs an href': withContext({ item: [{ type: 'text/html' }] }),
    'href of item has the wrong form': withContext({ item: [{ href: '/docs/api' }] }),
    'hreflang of item has the wrong form': withContext({
      item: [{ href: places.docs, hreflang: 'en' }],
    }),
    'Service Doc is no relation': withContext({ 'Service Doc': [{ href: places.docs }] }),
  })) {
    test(`finds that ${problem}`, () => deepEqual(linksetProblems(document), [problem]))
  }
})
