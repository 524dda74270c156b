import { deepEqual, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import LinkHeader from 'http-link-header'
import { parseItem, type Token } from 'structured-headers'
import { API_CATALOG_TYPE, apiCatalog } from '../../../src/http/discovery/api-catalog.ts'
import { markdownOf, paths, urlsOf } from '../../../src/http/urls.ts'
import { startApp } from '../../support/app.ts'
import { urls } from './addresses.ts'
import { linksetProblems } from './linkset.ts'

type Target = { href: string; type?: string }
type Context = { anchor: string } & Record<string, Target[]>

/** The contexts, as a client gets them. */
const contexts = (): Context[] => JSON.parse(JSON.stringify(apiCatalog(urls))).linkset

const relationsOf = (anchor: string): Record<string, Target[]> => {
  const found = contexts().filter(context => context.anchor === anchor)
  deepEqual(found.length, 1)
  const { anchor: _, ...relations } = found[0] as Context
  return relations
}

describe('the API catalog', () => {
  test('is a linkset as RFC 9264 defines it', () => {
    deepEqual(linksetProblems(apiCatalog(urls)), [])
  })

  test('names both operations as its items, and describes nothing else', () => {
    deepEqual(relationsOf(urls.catalog), {
      item: [
        { href: urls.siteInterest, title: 'Submit site interest' },
        { href: urls.studentInterest, title: 'Submit student interest' },
      ],
    })
    deepEqual(
      contexts().map(({ anchor }) => anchor),
      [urls.catalog, urls.siteInterest, urls.studentInterest],
    )
  })

  test('leads from site interest to its OpenAPI description and to the reference', () => {
    const { 'service-desc': description, 'service-doc': documents } = relationsOf(urls.siteInterest)
    deepEqual(description, [{ href: urls.openapi, type: 'application/json', title: 'OpenAPI 3.1 description' }])
    deepEqual(documents, [
      { href: urls.docs, type: 'text/html', title: 'API reference' },
      { href: markdownOf(urls.docs), type: 'text/markdown', title: 'API reference' },
    ])
  })

  test('has no machine-readable description of student interest', () => {
    const relations = relationsOf(urls.studentInterest)
    deepEqual(Object.keys(relations), ['service-doc', 'terms-of-service'])
    for (const { type } of Object.values(relations).flat()) ok(type?.startsWith('text/'))
  })

  test('links only to documents that exist', () => {
    const there = [...Object.values(urls), markdownOf(urls.docs)]
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
  const withContext = (context: object) => ({ linkset: [{ anchor: urls.catalog, ...context }] })

  for (const [problem, document] of Object.entries({
    'linkset must be the sole member': { linkset: [], profile: 'x' },
    'linkset must be an array': { linkset: {} },
    'a context needs a relation': withContext({}),
    'an anchor must be an absolute URL': withContext({ anchor: '/x', item: [{ href: urls.docs }] }),
    'api-catalog must be an array of objects': withContext({ 'api-catalog': urls.catalog }),
    'item needs an href': withContext({ item: [{ type: 'text/html' }] }),
    'href of item has the wrong form': withContext({ item: [{ href: '/docs/api' }] }),
    'hreflang of item has the wrong form': withContext({ item: [{ href: urls.docs, hreflang: 'en' }] }),
    'Service Doc is not a relation': withContext({ 'Service Doc': [{ href: urls.docs }] }),
  })) {
    test(`finds that ${problem}`, () => deepEqual(linksetProblems(document), [problem]))
  }
})

describe('the API catalog as it is served', () => {
  test('is the same at both hosts, with the configured URLs and a link to itself', async t => {
    const addresses = { baseUrl: 'https://www.mesa.example', learnUrl: 'https://learn.mesa.example' }
    const app = await startApp(t, { env: { BASE_URL: addresses.baseUrl, LEARN_URL: addresses.learnUrl } })
    for (const host of ['site', 'learn'] as const) {
      for (const method of ['GET', 'HEAD']) {
        const url = `${app.origin[host]}${paths.catalog}`
        const { text, headers } = await app.request(url, { method })
        if (method === 'GET') {
          const document = JSON.parse(text)
          deepEqual(linksetProblems(document), [])
          deepEqual(document, apiCatalog(urlsOf(addresses)))
        }
        deepEqual(LinkHeader.parse(headers.get('link') ?? '').refs, [
          { uri: 'https://www.mesa.example/.well-known/api-catalog', rel: 'api-catalog' },
        ])
      }
    }
  })
})
