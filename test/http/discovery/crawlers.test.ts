import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import robotsModule from 'robots-parser'
import { robotsTxt, securityTxt, sitemapXml } from '../../../src/http/discovery/crawlers.ts'
import { markdownOf, paths, urlsOf } from '../../../src/http/urls.ts'
import { DAY } from '../../../src/platform/time.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { urls } from './addresses.ts'

/** The value that `require` gives. The package's types describe another form of it. */
const robotsParser = robotsModule as unknown as typeof robotsModule.default

const pages = [urls.developers, urls.docs, urls.forms, urls.pricing]

describe('robots.txt', () => {
  test('allows every document to every crawler', () => {
    const robots = robotsParser(urls.robots, robotsTxt(urls))
    const onSite = Object.values(urls).filter(url => url.startsWith(urls.base))
    const documents = [...onSite, ...pages.map(markdownOf)]
    for (const agent of ['GPTBot', 'ClaudeBot', 'Googlebot', 'Bingbot', 'CCBot', 'anything/1.0']) {
      for (const url of documents) equal(robots.isAllowed(url, agent), true, `${agent} ${url}`)
    }
  })

  test('names the sitemap by its absolute URL', () => {
    const robots = robotsParser(urls.robots, robotsTxt(urls))
    deepEqual(robots.getSitemaps(), ['https://www.example.edu/sitemap.xml'])
  })
})

describe('sitemap.xml', () => {
  test('lists exactly the pages for people, in the form of sitemaps.org', () => {
    const xml = sitemapXml(urls)
    // The whole of it, so that nothing else is in there.
    match(
      xml,
      /^<\?xml version="1\.0" encoding="UTF-8"\?>\n<urlset xmlns="http:\/\/www\.sitemaps\.org\/schemas\/sitemap\/0\.9">\n(?: {2}<url><loc>[^<>&'"\s]+<\/loc><\/url>\n)+<\/urlset>\n$/,
    )
    const listed = [...xml.matchAll(/<loc>(.*?)<\/loc>/g)].map(([, url]) => url)
    deepEqual(listed, pages)
  })
})

describe('security.txt', () => {
  const contact = 'mailto:security@example.edu'

  /** By name. Fails on a line that is not a field, and on a field that comes twice. */
  function fieldsOf(text: string): Record<string, string> {
    ok(text.endsWith('\n'))
    const lines = text.slice(0, -1).split('\n')
    const fields = lines.map(line => {
      const [, name, value] = /^([A-Z][A-Za-z-]+): (\S.*)$/.exec(line) ?? []
      ok(name !== undefined && value !== undefined, line)
      return [name, value] as const
    })
    equal(new Set(fields.map(([name]) => name)).size, fields.length)
    return Object.fromEntries(fields)
  }

  test('has the fields that RFC 9116 asks for, each once', () => {
    const now = Date.parse('2026-11-21T20:00:00Z')
    deepEqual(fieldsOf(securityTxt(urls, contact, now)), {
      Contact: contact,
      Expires: '2027-06-01T00:00:00Z',
      'Preferred-Languages': 'en',
      Canonical: 'https://www.example.edu/.well-known/security.txt',
    })
  })

  const expiryAt = (now: number): string => fieldsOf(securityTxt(urls, contact, now))['Expires'] ?? ''

  const anyMoment = fc
    .date({ min: new Date('2026-01-01'), max: new Date('2100-01-01'), noInvalidDate: true })
    .map(date => date.getTime())

  test('expires more than six months ahead, and less than a year, at any time', () => {
    const check = (now: number) => {
      const expiry = expiryAt(now)
      match(expiry, /^\d{4}-\d\d-01T00:00:00Z$/)
      const ahead = Date.parse(expiry) - now
      // From the end of August to the first of March it is 181 days.
      ok(ahead > 181 * DAY && ahead < 365 * DAY, new Date(now).toISOString())
    }
    fc.assert(fc.property(anyMoment, check))
    for (const edge of ['2026-08-31T23:59:59.999Z', '2028-02-29T12:00:00Z', '2026-12-31T23:59:59Z'])
      check(Date.parse(edge))
  })

  test('stays the same all through a month', () => {
    fc.assert(
      fc.property(anyMoment, now => {
        const date = new Date(now)
        const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()]
        equal(expiryAt(Date.UTC(year, month)), expiryAt(now))
        equal(expiryAt(Date.UTC(year, month + 1) - 1), expiryAt(now))
      }),
    )
  })
})

const get = (app: TestApp, path: string, init: RequestInit = {}) => app.request(`${app.origin.site}${path}`, init)

describe('the texts for crawlers, as they are served', () => {
  test('robots.txt and the sitemap name the configured URLs, and security.txt is 404 without a contact', async t => {
    const app = await startApp(t, { env: { BASE_URL: 'https://www.mesa.example' } })
    const urls = urlsOf({ baseUrl: 'https://www.mesa.example', learnUrl: 'https://x.example' })
    equal((await get(app, paths.robots)).text, robotsTxt(urls))
    equal((await get(app, paths.sitemap)).text, sitemapXml(urls))

    // No one is named to report to.
    const { status, headers, body } = await get(app, paths.security)
    equal(status, 404)
    match(headers.get('content-type') ?? '', /^application\/json/)
    deepEqual(Object.keys(body as object), ['error'])
  })

  test('security.txt names the contact, and is never about to expire', async t => {
    const settings = { contacts: { security: 'mailto:security@example.edu' } }
    const app = await startApp(t, { settings })
    const expiries = new Set<string>()
    const tags = new Set<string | null>()
    for (let month = 0; month < 12; month++) {
      const { text, headers } = await get(app, paths.security)
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
