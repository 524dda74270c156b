import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import robotsModule from 'robots-parser'
import { robotsTxt, securityTxt, sitemapXml } from '../../../src/http/discovery/crawlers.ts'
import { markdownOf } from '../../../src/http/places.ts'
import { DAY } from '../../support/clock.ts'
import { places } from './addresses.ts'

/** What `require` gives; the types of the package describe another form of it. */
const robotsParser = robotsModule as unknown as typeof robotsModule.default

const pages = [places.developers, places.docs, places.pricing]

describe('robots.txt', () => {
  test('allows every document to every crawler', () => {
    const robots = robotsParser(places.robots, robotsTxt(places))
    const { learn: _, studentInterest: __, ...onSite } = places
    const documents = [...Object.values(onSite), ...pages.map(markdownOf)]
    for (const agent of ['GPTBot', 'ClaudeBot', 'Googlebot', 'Bingbot', 'CCBot', 'anything/1.0']) {
      for (const url of documents) equal(robots.isAllowed(url, agent), true, `${agent} ${url}`)
    }
  })

  test('names the sitemap by its absolute address', () => {
    const robots = robotsParser(places.robots, robotsTxt(places))
    deepEqual(robots.getSitemaps(), ['https://www.example.edu/sitemap.xml'])
  })
})

describe('sitemap.xml', () => {
  test('lists exactly the pages for people, in the form of sitemaps.org', () => {
    const xml = sitemapXml(places)
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

  /** By name; fails on a line that is no field, and on a field that comes twice. */
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
    deepEqual(fieldsOf(securityTxt(places, contact, now)), {
      Contact: contact,
      Expires: '2027-06-01T00:00:00Z',
      'Preferred-Languages': 'en',
      Canonical: 'https://www.example.edu/.well-known/security.txt',
    })
  })

  const expiryAt = (now: number): string =>
    fieldsOf(securityTxt(places, contact, now))['Expires'] ?? ''

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
