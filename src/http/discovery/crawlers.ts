/** Texts that crawlers look for at fixed paths. Every text ends with LF. */
import { moment } from '../../platform/time.ts'
import { pageNames } from '../page-table.ts'
import type { Urls } from '../urls.ts'

/** Anyone may read everything (RFC 9309). */
export const robotsTxt = ({ sitemap }: Urls): string => lines('User-agent: *', 'Allow: /', '', `Sitemap: ${sitemap}`)

/** The pages for people (sitemaps.org, 0.9). Their URLs hold nothing that XML would escape. */
export const sitemapXml = (urls: Urls): string =>
  lines(
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">',
    ...pageNames.map(page => `  <url><loc>${urls[page]}</loc></url>`),
    '</urlset>',
  )

/** Where to report a vulnerability (RFC 9116). `contact` is a URI. The text changes once a month. */
export const securityTxt = ({ security }: Urls, contact: string, now: number): string =>
  lines(`Contact: ${contact}`, `Expires: ${expiry(now)}`, 'Preferred-Languages: en', `Canonical: ${security}`)

/** The first day of the seventh month from now: always more than six months ahead, less than a year. */
function expiry(now: number): string {
  const today = new Date(now)
  return moment(Date.UTC(today.getUTCFullYear(), today.getUTCMonth() + 7))
}

const lines = (...all: string[]): string => `${all.join('\n')}\n`
