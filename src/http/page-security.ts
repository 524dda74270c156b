/** The security of our pages: a browser may use the styles and scripts of their layout, and nothing else. */
import { createHash } from 'node:crypto'
import type { Headers } from './router.ts'

/**
 * The headers of every page in a layout. Its styles and scripts are allowed by their hashes;
 * `allowed` has further directives (Content Security Policy Level 3).
 *
 * Throws an Error when Liquid in a style or script would change its hash.
 */
export function pageSecurity(name: string, layout: string, allowed: string[] = []): Headers {
  return {
    'Content-Security-Policy': [
      "default-src 'none'",
      ...['style', 'script'].flatMap(tag => sourcesOf(name, layout, tag)),
      ...allowed,
      "base-uri 'none'",
      "frame-ancestors 'none'",
    ].join('; '),
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
    'Cross-Origin-Opener-Policy': 'same-origin',
  }
}

/** The directive for the elements of one tag; none if the layout has none. */
function sourcesOf(name: string, layout: string, tag: string): string[] {
  const elements = layout.matchAll(new RegExp(`<${tag}[^>]*>(.*?)</${tag}\\s*>`, 'gis'))
  const texts = Array.from(elements, ([, text = '']) => text)
  if (texts.some(text => /\{\{|\{%/.test(text))) {
    throw new Error(`${name}: must not have Liquid in its ${tag}, which browsers know by its hash`)
  }
  if (texts.length === 0) return []
  const hashes = texts.map(text => `'sha256-${createHash('sha256').update(text).digest('base64')}'`)
  return [`${tag}-src ${hashes.join(' ')}`]
}
