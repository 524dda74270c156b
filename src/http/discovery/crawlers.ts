/** What crawlers look for at fixed addresses. Every text ends with LF. */
import type { Urls } from '../urls.ts'

/** Everything may be read, by anybody (RFC 9309). */
export const robotsTxt = ({ sitemap }: Urls): string =>
  lines('User-agent: *', 'Allow: /', '', `Sitemap: ${sitemap}`)

/** The pages for people (sitemaps.org, 0.9). Their addresses hold nothing that XML would escape. */
export const sitemapXml = ({ developers, docs, pricing }: Urls): string =>
  lines(
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">',
    ...[developers, docs, pricing].map(page => `  <url><loc>${page}</loc></url>`),
    '</urlset>',
  )

/** Whom to tell of a weakness (RFC 9116); `contact` is a URI. The same text all through a month. */
export const securityTxt = ({ security }: Urls, contact: string, now: number): string =>
  lines(
    `Contact: ${contact}`,
    `Expires: ${expiry(now)}`,
    'Preferred-Languages: en',
    `Canonical: ${security}`,
  )

/** The beginning of the seventh month from now: always more than six ahead, and less than a year. */
function expiry(now: number): string {
  const today = new Date(now)
  const day = new Date(Date.UTC(today.getUTCFullYear(), today.getUTCMonth() + 7))
  return day.toISOString().replace('.000Z', 'Z')
}

const lines = (...all: string[]): string => `${all.join('\n')}\n`
