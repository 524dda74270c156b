/** The documents beside the pages and the description, as they are served. */
import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import LinkHeader from 'http-link-header'
import { parseDictionary, parseItem } from 'structured-headers'
import { API_CATALOG_TYPE, apiCatalog } from '../../../src/http/discovery/api-catalog.ts'
import { robotsTxt, sitemapXml } from '../../../src/http/discovery/crawlers.ts'
import { paths, placesOf } from '../../../src/http/places.ts'
import { exchange } from '../../process/raw-client.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { DAY } from '../../support/clock.ts'
import { linksetProblems } from './linkset.ts'

const settings = { contacts: { security: 'mailto:security@example.edu' } }

type Served = {
  name: string
  path: string
  host: 'site' | 'learn'
  type: string
}

const served: Served[] = [
  { name: 'the catalog', path: paths.catalog, host: 'site', type: API_CATALOG_TYPE },
  {
    name: 'the catalog at the learn host',
    path: paths.catalog,
    host: 'learn',
    type: API_CATALOG_TYPE,
  },
  { name: 'agent-card.json', path: paths.agentCard, host: 'site', type: 'application/json' },
  { name: 'agent.json', path: paths.earlierAgentCard, host: 'site', type: 'application/json' },
  { name: 'robots.txt', path: paths.robots, host: 'site', type: 'text/plain; charset=utf-8' },
  { name: 'sitemap.xml', path: paths.sitemap, host: 'site', type: 'application/xml' },
  { name: 'security.txt', path: paths.security, host: 'site', type: 'text/plain; charset=utf-8' },
]

const start = (t: TestContext) => startApp(t, { settings })

const get = (app: TestApp, { host, path }: Pick<Served, 'host' | 'path'>, init: RequestInit = {}) =>
  app.request(`${app.origin[host]}${path}`, { redirect: 'manual', ...init })

describe('every document', () => {
  test('is there, with its type, for any web page and any cache', async t => {
    const app = await start(t)
    for (const document of served) {
      const { status, headers } = await get(app, document)
      equal(status, 200, document.name)
      equal(headers.get('content-type'), document.type)
      equal(headers.get('access-control-allow-origin'), '*')
      equal(headers.get('x-content-type-options'), 'nosniff')
      const caching = parseDictionary(headers.get('cache-control') ?? '')
      deepEqual(caching.get('public'), [true, new Map()])
      ok(Number(caching.get('max-age')?.[0]) > 0)
    }
  })

  test('answers HEAD with the headers of GET', async t => {
    const { origin } = await start(t)
    for (const { name, host, path } of served) {
      const target = `${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`
      const whole = await exchange(origin[host], `GET ${target}`)
      const head = await exchange(origin[host], `HEAD ${target}`, { head: true })
      equal(head.status, 200, name)
      deepEqual({ ...head.headers, date: '' }, { ...whole.headers, date: '' }, name)
    }
  })

  test('is not sent again to who has it', async t => {
    const app = await start(t)
    for (const document of served) {
      const { headers, text } = await get(app, document)
      const etag = headers.get('etag') ?? ''
      equal(typeof parseItem(etag)[0], 'string', 'a strong tag is a quoted string')
      const again = await get(app, document, { headers: { 'If-None-Match': etag } })
      equal(again.status, 304, document.name)
      equal(again.text, '')
      // RFC 9110 section 15.4.5.
      for (const name of ['etag', 'cache-control', 'vary']) {
        equal(again.headers.get(name), headers.get(name), name)
      }
      const other = await get(app, document, { headers: { 'If-None-Match': '"another"' } })
      equal(other.status, 200)
      equal(other.text, text)
    }
  })

  test('is only for reading', async t => {
    const app = await start(t)
    for (const document of served) {
      const { status, headers } = await get(app, document, { method: 'POST', body: '{}' })
      equal(status, 405, document.name)
      equal(headers.get('allow'), 'GET, HEAD, OPTIONS')
    }
  })
})

describe('the catalog', () => {
  test('is the same at both hosts, about the addresses that are configured', async t => {
    const app = await startApp(t, {
      env: { BASE_URL: 'https://www.mesa.example', LEARN_URL: 'https://learn.mesa.example' },
    })
    const site = await get(app, { host: 'site', path: paths.catalog })
    const learn = await get(app, { host: 'learn', path: paths.catalog })
    equal(site.text, learn.text)
    const document = JSON.parse(site.text)
    deepEqual(linksetProblems(document), [])
    const places = placesOf({
      baseUrl: 'https://www.mesa.example',
      learnUrl: 'https://learn.mesa.example',
    })
    deepEqual(document, apiCatalog(places))
  })

  test('is linked to by its own header at both hosts, to GET and to HEAD', async t => {
    const app = await start(t)
    for (const host of ['site', 'learn'] as const) {
      for (const method of ['GET', 'HEAD']) {
        const { headers } = await get(app, { host, path: paths.catalog }, { method })
        deepEqual(LinkHeader.parse(headers.get('link') ?? '').refs, [
          { uri: 'http://localhost:3000/.well-known/api-catalog', rel: 'api-catalog' },
        ])
      }
    }
  })
})

describe('the agent card', () => {
  test('is the same, byte for byte, at both of its paths', async t => {
    const app = await start(t)
    const card = await get(app, { host: 'site', path: paths.agentCard })
    const earlier = await get(app, { host: 'site', path: paths.earlierAgentCard })
    equal(earlier.text, card.text)
    equal(earlier.headers.get('etag'), card.headers.get('etag'))
  })

  test('is about the school and the addresses that are configured', async t => {
    const app = await startApp(t, {
      settings: { school: { name: 'Mesa Career Institute' } },
      env: { BASE_URL: 'https://www.mesa.example' },
    })
    const { text } = await get(app, { host: 'site', path: paths.agentCard })
    const card = JSON.parse(text)
    match(card.name, /^Mesa Career Institute/)
    equal(card.supportedInterfaces[0].url, 'https://www.mesa.example/api/site-interest')
    ok(!text.includes('localhost:3000'))
  })
})

describe('the names in the agent card', () => {
  test('are sections of the page for developers', async t => {
    const app = await start(t)
    const card = JSON.parse((await get(app, { host: 'site', path: paths.agentCard })).text)
    const page = (await get(app, { host: 'site', path: paths.developers })).text
    for (const name of [
      card.supportedInterfaces[0].protocolBinding,
      card.capabilities.extensions[0].uri,
    ]) {
      const { pathname, hash } = new URL(name)
      equal(pathname, paths.developers)
      ok(page.includes(` id="${hash.slice(1)}"`), name)
    }
  })
})

describe('what crawlers look for', () => {
  test('robots.txt and the sitemap are about the addresses that are configured', async t => {
    const app = await startApp(t, { env: { BASE_URL: 'https://www.mesa.example' } })
    const places = placesOf({ baseUrl: 'https://www.mesa.example', learnUrl: 'https://x.example' })
    equal((await get(app, { host: 'site', path: paths.robots })).text, robotsTxt(places))
    equal((await get(app, { host: 'site', path: paths.sitemap })).text, sitemapXml(places))
  })

  test('security.txt is 404 until the operator says whom to tell', async t => {
    const { status, headers, body } = await get(await startApp(t), {
      host: 'site',
      path: paths.security,
    })
    equal(status, 404)
    match(headers.get('content-type') ?? '', /^application\/json/)
    deepEqual(Object.keys(body as object), ['error'])
  })

  test('security.txt names the contact, and is never about to expire', async t => {
    const app = await start(t)
    const expiries = new Set<string>()
    const tags = new Set<string | null>()
    for (let month = 0; month < 12; month++) {
      const { text, headers } = await get(app, { host: 'site', path: paths.security })
      match(text, /^Contact: mailto:security@example\.edu$/m)
      const expiry = /^Expires: (\S+)$/m.exec(text)?.[1] ?? ''
      ok(Date.parse(expiry) > app.clock.now() + 180 * DAY)
      expiries.add(expiry)
      tags.add(headers.get('etag'))
      app.clock.advance(31 * DAY)
    }
    equal(expiries.size, 12)
    equal(tags.size, 12)
  })
})
