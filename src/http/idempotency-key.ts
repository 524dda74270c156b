/** The client's idempotency key: from its headers and, for operation B, from the body. */
import type { IncomingMessage } from 'node:http'
import { isKey } from '../leads/body/field-formats.ts'
import type { Problem } from '../leads/body/problems.ts'
import { isPlain } from '../leads/body/tidy-text.ts'

export type ClientKey = { value: string | undefined; problems: readonly Problem[] }

/** Headers by name in lower case. A header that came several times is a list. */
export type Headers = Readonly<Record<string, string | readonly string[] | undefined>>

/**
 * Reads `X-Idempotency-Key` and `Idempotency-Key`, along with the key in the body. All keys that are sent must be
 * identical. `Idempotency-Key` may be a quoted string, as its draft requires
 * (draft-ietf-httpapi-idempotency-key-header-07 section 2.1); the bare value is accepted, too.
 */
export function readClientKey(headers: Headers, inBody?: string): ClientKey {
  return plainKey(headers, inBody) ?? readKeys(headers, inBody)
}

/** The quick path: no key, or one that is certainly valid, as in nearly every request; otherwise undefined. */
function plainKey(headers: Headers, inBody: string | undefined): ClientKey | undefined {
  const inHeader = headers['x-idempotency-key']
  const value = inBody ?? inHeader
  if (headers['idempotency-key'] !== undefined) return undefined
  if (value === undefined) return NO_KEY
  const one = inHeader === undefined || inHeader === value
  return one && typeof value === 'string' && isPlain(value) && isKey(value) ? { value, problems: NONE } : undefined
}

const NONE: readonly Problem[] = []
const NO_KEY: ClientKey = { value: undefined, problems: NONE }

function readKeys(headers: Headers, inBody: string | undefined): ClientKey {
  const given = [
    ['idempotencyKey in the body', inBody === undefined ? [] : [inBody]],
    ['X-Idempotency-Key', headerValues(headers['x-idempotency-key'])],
    ['Idempotency-Key', headerValues(headers['idempotency-key']).map(unquoted)],
  ] satisfies [string, string[]][]
  const found = given.flatMap(([name, values]) => Array.from(new Set(values), value => [name, value] as const))
  const [first, ...others] = found
  if (first === undefined) return { value: undefined, problems: [] }
  const wrong = new Set(found.filter(([, value]) => !isKey(value)).map(([name]) => name))
  const differ = new Set(others.filter(([, value]) => value !== first[1]).map(([name]) => name))
  return {
    value: first[1],
    problems: [
      ...Array.from(wrong, (field): Problem => ({ code: 'key', field })),
      ...Array.from(
        differ,
        (field): Problem =>
          field === first[0] ? { code: 'keyTwice', field } : { code: 'keysDiffer', field: first[0], other: field },
      ),
    ],
  }
}

/**
 * The headers of a request, with those that came several times as lists. Node.js joins such headers with a comma, and
 * separates them only on request. That copies every header, so we ask only if a key may be joined.
 */
export function headersOf(request: Pick<IncomingMessage, 'headers' | 'headersDistinct'>): Headers {
  const { headers } = request
  const keys = [headers['x-idempotency-key'], headers['idempotency-key']]
  return keys.some(key => key?.includes(',')) ? request.headersDistinct : headers
}

/** An empty header counts as absent, as an empty field of the body does. */
const headerValues = (value: string | readonly string[] | undefined): string[] =>
  [value ?? []].flat().flatMap(one => one.trim() || [])

const unquoted = (value: string): string =>
  value.replace(/^"(.*)"$/, (_, inner: string) => inner.replace(/\\(["\\])/g, '$1'))
