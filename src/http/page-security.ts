/** The security of our pages: a browser may use the styles and scripts of their layout, and nothing else. */
import { hash } from 'node:crypto'
import type { Headers } from './router.ts'

type Allowed = {
  /** The text of styles that a variable puts into the layout. */
  styles: string[]
  images: string[]
  allowed: string[]
  /** The directive about who may frame the page. Default: no one. */
  frames?: string
}

/**
 * The headers of every page in a layout. Its styles and scripts are allowed by their hashes
 * (Content Security Policy Level 3).
 *
 * Throws an Error when Liquid in a style or script would change its hash.
 */
export function pageSecurity(
  name: string,
  layout: string,
  { styles, images, allowed, frames = "frame-ancestors 'none'" }: Allowed,
): Headers {
  return {
    'Content-Security-Policy': [
      "default-src 'none'",
      ...sourcesOf('style', [...styles, ...textsOf(name, layout, 'style')]),
      ...sourcesOf('script', textsOf(name, layout, 'script')),
      `img-src ${images.join(' ')}`,
      ...allowed,
      "base-uri 'none'",
      frames,
    ].join('; '),
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
    'Cross-Origin-Opener-Policy': 'same-origin',
  }
}

/** The contents of all elements with this tag, except for data (JSON-LD), which no browser runs. */
function textsOf(name: string, layout: string, tag: string): string[] {
  const elements = layout.matchAll(new RegExp(`<${tag}(?![^>]*ld\\+json)[^>]*>(.*?)</${tag}\\s*>`, 'gis'))
  const texts = Array.from(elements, ([, text = '']) => text)
  if (texts.some(text => /\{\{|\{%/.test(text))) {
    throw new Error(`${name}: must not have Liquid in its ${tag}, which browsers know by its hash`)
  }
  return texts
}

/** The directive for the elements of one tag; `none` if there are none. */
function sourcesOf(tag: string, texts: string[]): string[] {
  if (texts.length === 0) return []
  const hashes = texts.map(text => `'sha256-${hash('sha256', text, 'base64')}'`)
  return [`${tag}-src ${hashes.join(' ')}`]
}
