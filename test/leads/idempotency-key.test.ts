/** How the client's key is read from the headers and the body (src/http/idempotency-key.ts). */
import { deepEqual, equal, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { readClientKey } from '../../src/http/idempotency-key.ts'
import { asSentence } from '../../src/leads/body/problems.ts'
import { anyText } from './arbitraries.ts'

/** A key that a header can hold as it is. */
const keys = fc.stringMatching(/^[\x21-\x7e](?:[\x20-\x7e]{0,40}[\x21-\x7e])?$/).filter(key => !key.startsWith('"'))

/** As a string of structured fields (RFC 9651 section 3.3.3). */
const quoted = (key: string) => `"${key.replace(/["\\]/g, '\\$&')}"`

const none = { value: undefined, problems: [] }

describe("the client's key", () => {
  test('is the same from the body, from either header, quoted or bare', () => {
    fc.assert(
      fc.property(keys, key => {
        const found = { value: key, problems: [] }
        deepEqual(readClientKey({}, key), found)
        deepEqual(readClientKey({ 'x-idempotency-key': key }), found)
        deepEqual(readClientKey({ 'idempotency-key': key }), found)
        deepEqual(readClientKey({ 'idempotency-key': quoted(key) }), found)
        const both = { 'x-idempotency-key': ` ${key} `, 'idempotency-key': quoted(key) }
        deepEqual(readClientKey(both, key), found)
      }),
      { numRuns: 1000 },
    )
  })

  test('must be the same wherever it is sent', () => {
    fc.assert(
      fc.property(keys, keys, (one, other) => {
        const { problems } = readClientKey({ 'x-idempotency-key': one }, other)
        equal(problems.length, one === other ? 0 : 1)
      }),
    )
  })

  test('must be the same if a header comes twice, and one that comes with itself is one', () => {
    fc.assert(
      fc.property(keys, keys, fc.constantFrom('x-idempotency-key', 'idempotency-key'), (...all) => {
        const [one, other, name] = all
        deepEqual(readClientKey({ [name]: [one, one] }), { value: one, problems: [] })
        const { problems } = readClientKey({ [name]: [one, other] })
        equal(problems.length, one === other ? 0 : 1)
      }),
    )
  })

  test('is printable, or a problem is reported that does not quote it, whatever the headers contain', () => {
    const header = fc.oneof(anyText(300), fc.array(anyText(10)), fc.constant(undefined))
    fc.assert(
      fc.property(header, header, (x, plain) => {
        const headers = { 'x-idempotency-key': x, 'idempotency-key': plain } as Record<string, string>
        const { value, problems } = readClientKey(headers)
        ok(problems.length > 0 || value === undefined || /^[\x20-\x7e]{1,255}$/.test(value))
        ok(/^[\x20-\x7e]*$/.test(asSentence(problems)))
      }),
      { numRuns: 1000 },
    )
  })

  test('is absent if the headers are missing or empty', () => {
    deepEqual(readClientKey({}), none)
    deepEqual(readClientKey({ 'x-idempotency-key': '', 'idempotency-key': '  ' }), none)
  })

  test('is rejected if it is quoted and empty, too long or not ASCII', () => {
    for (const key of ['""', 'k'.repeat(256), 'clé']) {
      const { problems } = readClientKey({ 'idempotency-key': key })
      equal(asSentence(problems), 'Idempotency-Key must be 1 to 255 printable ASCII characters')
    }
  })
})
