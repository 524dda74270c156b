/** The client's idempotency key: from its headers and, for operation B, from the body. */
import type { IncomingHttpHeaders } from 'node:http'
import { isKey } from '../leads/field-formats.ts'
import { problems } from '../leads/problems.ts'

export type ClientKey = { value: string | undefined; problems: string[] }

/**
 * Reads `X-Idempotency-Key` and `Idempotency-Key`, along with the key of the body. All keys that are
 * sent must be equal. `Idempotency-Key` may be a quoted string, as its draft asks
 * (draft-ietf-httpapi-idempotency-key-header-07 section 2.1); the bare value is accepted, too.
 */
export function readClientKey(headers: IncomingHttpHeaders, inBody?: string): ClientKey {
  const given = [
    ['idempotencyKey in the body', inBody],
    ['X-Idempotency-Key', headerValue(headers['x-idempotency-key'])],
    ['Idempotency-Key', unquoted(headerValue(headers['idempotency-key']))],
  ].filter((entry): entry is [string, string] => entry[1] !== undefined)
  const [first, ...others] = given
  if (first === undefined) return { value: undefined, problems: [] }
  const wrong = given.filter(([, value]) => !isKey(value)).map(([name]) => problems.key(name))
  const differ = others
    .filter(([, value]) => value !== first[1])
    .map(([name]) => problems.keysDiffer(first[0], name))
  return { value: first[1], problems: [...wrong, ...differ] }
}

/** An empty header counts as absent, as an empty field of the body does. */
const headerValue = (value: string | string[] | undefined): string | undefined =>
  value === undefined ? undefined : String(value).trim() || undefined

const unquoted = (value: string | undefined): string | undefined =>
  value?.replace(/^"(.*)"$/, (_, inner: string) => inner.replace(/\\(["\\])/g, '$1'))
