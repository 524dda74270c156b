/** Whether a message is proven to be from its sender, according to our own mail server. */
import { addressParser } from 'postal-mime'
import { asciiDomain, type EmailAddress } from '../../leads/body/email.ts'
import type { Fields } from './headers.ts'

/**
 * Whether the mail server that calls itself `server` vouches for the From address: DMARC passed for its domain, or a
 * DKIM signature of that very domain did and DMARC did not fail (RFC 8601).
 *
 * Anyone can put an Authentication-Results field into a message; our server adds its own above all others and removes
 * those in its name. So only the topmost with its name counts, and nothing without the name. A message with two From
 * fields, or two addresses in one, is never proven.
 */
export function isAuthentic(fields: Fields, from: EmailAddress, server: string): boolean {
  const senders = fields.get('from') ?? []
  if (senders.length !== 1) return false
  if (addressParser(senders[0] ?? '', { flatten: true }).length !== 1) return false
  const own = (fields.get('authentication-results') ?? [])
    .map(readResults)
    .find(results => results?.server === server.toLowerCase())
  if (own === undefined) return false
  const domain = asciiDomain(from)
  const dmarc = own.results.filter(({ method }) => method === 'dmarc')
  if (dmarc.some(one => one.result !== 'pass')) return false
  if (dmarc.some(one => one.properties.get('header.from') === domain)) return true
  return own.results.some(
    ({ method, result, properties }) => method === 'dkim' && result === 'pass' && properties.get('header.d') === domain,
  )
}

type Result = { method: string; result: string; properties: Map<string, string> }

/** We read no more of a field than this; a genuine one is far shorter. */
const MAX_LENGTH = 5_000

/** Reads one field (RFC 8601 section 2.2); undefined if it cannot be read. Everything is in lower case. */
function readResults(value: string): { server: string; results: Result[] } | undefined {
  if (value.length > MAX_LENGTH) return undefined
  const parts = partsOf(value)
  const [head, ...rest] = parts ?? []
  const server = head?.[0]
  if (server === undefined) return undefined
  const results = rest.flatMap(([first = '', ...more]) => {
    const [, method = '', result = ''] = /^([a-z0-9-]+)(?:\/\d+)?=([a-z]+)$/.exec(first) ?? []
    if (method === '') return []
    const properties = more.flatMap(text => {
      const equals = text.indexOf('=')
      return equals < 1 ? [] : [[text.slice(0, equals), text.slice(equals + 1)] as const]
    })
    // The first of two contradicting properties must not hide the second.
    const names = properties.map(([name]) => name)
    if (new Set(names).size < names.length) return []
    return [{ method, result, properties: new Map(properties) }]
  })
  return { server, results }
}

/** The words between semicolons, without comments; a quotation is one word. Undefined if one of them does not end. */
function partsOf(value: string): string[][] | undefined {
  const parts: string[][] = [[]]
  let word = ''
  let depth = 0
  let quoted = false
  const end = () => {
    if (word !== '') parts.at(-1)?.push(word.toLowerCase())
    word = ''
  }
  for (let i = 0; i < value.length; i++) {
    const char = value.charAt(i)
    if (char === '\\' && (quoted || depth > 0)) {
      if (depth === 0) word += value.charAt(i + 1)
      i++
    } else if (quoted) {
      if (char === '"') quoted = false
      else word += char
    } else if (char === '(') depth++
    else if (char === ')' && depth > 0) depth--
    else if (depth > 0) continue
    else if (char === '"') quoted = true
    else if (char === ';') {
      end()
      parts.push([])
    } else if (/\s/.test(char)) {
      // There may be white space around the equals sign.
      if (!word.endsWith('=') && !/^\s*=/.test(value.slice(i, i + 20))) end()
    } else word += char
  }
  end()
  return quoted || depth > 0 ? undefined : parts
}
