/** Content negotiation: what a client prefers, according to its Accept headers (RFC 9110 section 12.5). */

/** `html`, unless the header names Markdown with at least the same weight. No client gets a 406. */
export function preferredText(accept: string | undefined): 'html' | 'markdown' {
  const wanted = weights(accept)
  const markdown = wanted.get('text/markdown') ?? 0
  const html = wanted.get('text/html') ?? wanted.get('text/*') ?? wanted.get('*/*') ?? 0
  return markdown > 0 && markdown >= html ? 'markdown' : 'html'
}

/** Whether a person with a browser asks: the header prefers HTML to JSON. A program that accepts anything gets JSON. */
export function prefersHtml(accept: string | undefined): boolean {
  if (accept === undefined || !/text\/html/i.test(accept)) return false
  const wanted = weights(accept)
  const html = wanted.get('text/html') ?? 0
  return html > (wanted.get('application/json') ?? 0) && html >= (wanted.get('*/*') ?? 0)
}

/**
 * The language that a client prefers among ours, by its Accept-Language header (RFC 9110 section 12.5.4); undefined if
 * it wants none of them. `es` matches `es-MX`, and vice versa.
 */
export function preferredLanguage(
  acceptLanguage: string | undefined,
  languages: readonly string[],
): string | undefined {
  // The spelling that our own links and forms use for a language.
  if (acceptLanguage !== undefined && languages.includes(acceptLanguage)) return acceptLanguage
  const wanted = [...weights(acceptLanguage)].filter(([, weight]) => weight > 0)
  for (const [range] of wanted.toSorted(([, one], [, other]) => other - one)) {
    const found =
      languages.find(one => one.toLowerCase() === range) ?? languages.find(one => primary(one) === primary(range))
    if (found !== undefined) return found
  }
  return undefined
}

const primary = (tag: string): string => tag.toLowerCase().split('-', 1)[0] ?? ''

export type Coding = 'br' | 'gzip' | 'identity'

/** The coding with the most weight for the client; of two with the same weight, the one that makes bodies smaller. */
export function preferredCoding(acceptEncoding: string | undefined): Coding {
  const wanted = weights(acceptEncoding)
  const [br, gzip] = [wanted.get('br') ?? 0, wanted.get('gzip') ?? 0]
  if (br > 0 && br >= gzip) return 'br'
  return gzip > 0 ? 'gzip' : 'identity'
}

/** Each entry, in lower case and without its other parameters, with its weight from 0 to 1. */
function weights(header = ''): Map<string, number> {
  const found = new Map<string, number>()
  for (const entry of header.toLowerCase().split(',')) {
    const [name = '', ...parameters] = entry.split(';').map(part => part.trim())
    const weight = parameters.find(parameter => parameter.startsWith('q='))?.slice(2) ?? '1'
    // An entry with an invalid weight counts as not wanted.
    if (name !== '') found.set(name, /^(?:0|1)(?:\.\d{0,3})?$/.test(weight) ? Number(weight) : 0)
  }
  return found
}
