/** How the bytes of a body become JSON (src/http/body.ts). */
import { deepEqual, equal, match, ok, throws } from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { parseJson } from '../../src/http/body.ts'
import { HttpError } from '../../src/http/errors.ts'
import { siteInterestSchema, studentInterestSchema } from '../../src/leads/body/body-schemas.ts'
import { anyText } from './arbitraries.ts'

/** The error of parseJson for these bytes; undefined if it accepts them. */
function complaint(bytes: Buffer): string | undefined {
  try {
    parseJson(bytes)
    return undefined
  } catch (error) {
    ok(error instanceof HttpError)
    equal(error.status, 400)
    return error.message
  }
}

/** JSON with one character inserted, removed or replaced. */
const broken = fc
  .tuple(
    fc.json({ maxDepth: 3 }),
    fc.nat(),
    fc.constantFrom(0, 1),
    fc.oneof(fc.constantFrom(...'{}[],:"\'\\ \n\tx0-.eEtfn/'), fc.constant(''), anyText(2)),
  )
  .map(([json, at, cut, put]) => {
    const place = at % (json.length + 1)
    return (json.slice(0, place) + put + json.slice(place + cut)).toWellFormed()
  })

const engine = (text: string): { value: unknown } | { message: string } => {
  try {
    return { value: JSON.parse(text) }
  } catch (error) {
    return { message: (error as Error).message }
  }
}

describe('the bytes of a body', () => {
  test('mean what JSON.parse says they mean', () => {
    fc.assert(
      fc.property(fc.oneof(fc.json(), broken, fc.string({ unit: 'binary' })), text => {
        const expected = engine(text.replace(/^\ufeff/, ''))
        const bytes = Buffer.from(text)
        if ('value' in expected) deepEqual(parseJson(bytes), expected.value)
        else ok(complaint(bytes)?.startsWith(text ? 'The body is not valid JSON' : 'The body is empty'))
      }),
      { numRuns: 3000 },
    )
  })

  test('must be UTF-8', () => {
    const decoder = new TextDecoder('utf-8', { fatal: true })
    const isValid = (bytes: Uint8Array) => {
      try {
        decoder.decode(bytes)
        return true
      } catch {
        return false
      }
    }
    const inString = fc
      .uint8Array({ minLength: 1, maxLength: 6, min: 0x80 })
      .map(bytes => Buffer.concat([Buffer.from('"'), bytes, Buffer.from('"')]))
    fc.assert(
      fc.property(fc.oneof(fc.uint8Array({ minLength: 1 }).map(Buffer.from), inString), bytes => {
        equal(complaint(bytes as Buffer) === 'The body must be UTF-8', !isValid(bytes as Buffer))
      }),
      { numRuns: 3000 },
    )
  })

  test('may begin with one byte order mark', () => {
    deepEqual(parseJson(Buffer.from('\ufeff{"a": 1}')), { a: 1 })
    throws(() => parseJson(Buffer.from('\ufeff\ufeff{"a": 1}')), HttpError)
  })

  test('keep the last of two equal names, and accept a name of the prototype as a name', () => {
    deepEqual(parseJson(Buffer.from('{"a": 1, "a": 2}')), { a: 2 })
    const parsed = parseJson(Buffer.from('{"__proto__": {"a": 1}}')) as Record<string, unknown>
    equal(Object.hasOwn(parsed, '__proto__'), true)
    equal(parsed['a'], undefined)
  })
})

describe('the error about invalid JSON', () => {
  test('names the position that the engine names, or says that the text ends too early', () => {
    fc.assert(
      fc.property(broken, text => {
        const expected = engine(text.replace(/^\ufeff/, ''))
        // The engine counts a lone \r as the end of a line.
        if (!('message' in expected) || /^\ufeff|\r/.test(text)) return
        const place = / at position (\d+) \(line (\d+) column (\d+)\)$/.exec(expected.message)
        const said = complaint(Buffer.from(text)) ?? ''
        if (place === null || said.includes('form data')) return
        const atEnd = Number(place[1]) === text.length
        ok(
          said.endsWith(atEnd ? ': it ends too early' : ` (see line ${place[2]}, column ${place[3]})`),
          `${said} / ${expected.message}`,
        )
      }),
      { numRuns: 2000 },
    )
  })

  test('names the position of the first character that cannot follow', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), object => {
        const json = JSON.stringify(object)
        const said = complaint(Buffer.from(`${json}#`))
        equal(said, `The body is not valid JSON (see line 1, column ${json.length + 1})`)
      }),
    )
  })

  test('names the position even in the longest body that the limits allow', () => {
    for (const { properties } of [siteInterestSchema, studentInterestSchema]) {
      const body = Object.entries(properties).map(([field, rule]) => [
        field,
        'maxLength' in rule ? 'x'.repeat(rule.maxLength) : rule.maximum,
      ])
      const json = JSON.stringify(Object.fromEntries(body), null, 4).replace(/\n\}$/, ',\n}')
      match(
        complaint(Buffer.from(json)) ?? '',
        new RegExp(`comma before a closing bracket \\(see line ${json.split('\n').length}, column 1`),
      )
    }
  })

  test('says of every beginning of a body that it ends too early', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ unit: 'grapheme' }), fc.jsonValue()), fc.nat(), (object, at) => {
        const json = JSON.stringify(object)
        const start = json.slice(0, 1 + (at % (json.length - 1))).toWellFormed()
        equal(complaint(Buffer.from(start)), 'The body is not valid JSON: it ends too early')
      }),
      { numRuns: 500 },
    )
  })

  test('never quotes what was sent', () => {
    const canary = 'xanthocarpous'
    fc.assert(
      fc.property(broken, anyText(5), anyText(5), (json, before, after) => {
        const texts = [`${before}${canary}${after}`, `{"a": "${canary}" ${json}`, `${canary}${json}`]
        for (const text of texts) {
          ok(!complaint(Buffer.from(text.toWellFormed()))?.includes(canary.slice(0, 4)))
        }
      }),
    )
  })
})
