import { deepEqual, equal, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { fingerprintOf } from '../../src/leads/body/idempotency.ts'
import { parseSiteInterest, parseStudentInterest } from '../../src/leads/body/parse.ts'
import { asSentence } from '../../src/leads/body/problems.ts'
import { aSite, aStudent } from '../support/bodies.ts'
import { anyJson, context, now, reordered, siteBodies, studentBodies } from './arbitraries.ts'

const parseSite = (body: unknown) => parseSiteInterest(body, context)
const parseStudent = (body: unknown) => parseStudentInterest(body, context)

/** The fewest and the most code points that may be stored, field by field. */
const limits: Record<string, [least: number, most: number]> = {
  firstName: [1, 50],
  lastName: [1, 50],
  email: [5, 120],
  phone: [10, 25],
  company: [2, 120],
  address: [8, 180],
  message: [1, 1500],
  city: [1, 80],
  state: [2, 3],
  employer: [1, 120],
  interestLevel: [5, 120],
  timeline: [5, 120],
  experience: [5, 120],
  source: [5, 120],
  idempotencyKey: [1, 255],
}

const severalLines = ['address', 'message']

/** Whether it is safe in both databases, every terminal and every email. */
function isSafe(field: string, text: string, shortest = limits[field]?.[0] ?? 0): void {
  ok(text.isWellFormed(), 'well-formed')
  equal(text, text.normalize('NFC'))
  equal(text, text.trim())
  const [, most] = limits[field] ?? [0, 0]
  const length = [...text].length
  ok(length >= shortest && length <= most, `${field} has ${length} characters`)
  const allowed = severalLines.includes(field) ? '\t\n' : ''
  for (const character of text) {
    const isControl = /\p{Cc}/u.test(character) || /[\u2028\u2029]/.test(character)
    ok(!isControl || allowed.includes(character), `U+${character.codePointAt(0)?.toString(16)}`)
  }
  ok(severalLines.includes(field) || !/[\u202a-\u202e\u2066-\u2069]/.test(text), 'no override')
}

/** A stored student as a client sends it: ranked answers as text, the key in the body. */
const asSent = (stored: object, idempotencyKey: string | undefined) => ({
  ...Object.fromEntries(Object.entries(stored).map(([field, value]) => [field, value.text ?? value])),
  ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
})

describe('any JSON', () => {
  test('gets a verdict, and a rejection has a reason', () => {
    fc.assert(
      fc.property(anyJson, body => {
        for (const parsed of [parseSite(body), parseStudent(body)]) {
          ok(parsed.ok || asSentence(parsed.problems).length > 0)
          ok(parsed.ok || asSentence(parsed.problems).isWellFormed())
        }
      }),
      { numRuns: 2000 },
    )
  })

  test('is stored only as text that is safe everywhere', () => {
    fc.assert(
      fc.property(siteBodies, studentBodies, (site, student) => {
        const [one, other] = [parseSite(site), parseStudent(student)]
        if (one.ok) {
          const { website, startedAt, ...texts } = one.value
          equal(website, '')
          ok(Number.isSafeInteger(startedAt) && startedAt <= now + 24 * 3_600_000)
          // Only a student may have a name of one character.
          for (const [field, text] of Object.entries(texts)) isSafe(field, text, field.endsWith('Name') ? 2 : undefined)
        }
        if (other.ok) {
          const texts = asSent(other.value, other.idempotencyKey)
          for (const [field, text] of Object.entries(texts)) isSafe(field, text)
        }
      }),
      { numRuns: 1000 },
    )
  })

  test('is unchanged if its stored form is sent again', () => {
    fc.assert(
      fc.property(siteBodies, studentBodies, (site, student) => {
        const [one, other] = [parseSite(site), parseStudent(student)]
        if (one.ok) deepEqual(parseSite(one.value), one)
        if (other.ok) deepEqual(parseStudent(asSent(other.value, other.idempotencyKey)), other)
      }),
      { numRuns: 1000 },
    )
  })

  test('gets the same verdict in any order of its properties', () => {
    fc.assert(
      fc.property(reordered(siteBodies), reordered(studentBodies), (site, student) => {
        const sites = [parseSite(site.body), parseSite(site.other)] as const
        deepEqual(sites[0], sites[1])
        if (sites[0].ok && sites[1].ok) {
          equal(
            fingerprintOf('site', JSON.stringify(sites[0].value)),
            fingerprintOf('site', JSON.stringify(sites[1].value)),
          )
        }
        const students = [parseStudent(student.body), parseStudent(student.other)] as const
        deepEqual(students[0], students[1])
        if (students[0].ok && students[1].ok) {
          equal(
            fingerprintOf('student', JSON.stringify(students[0].value)),
            fingerprintOf('student', JSON.stringify(students[1].value)),
          )
        }
      }),
      { numRuns: 1000 },
    )
  })

  test('is never quoted in an error', () => {
    const canary = 'xanthocarpous'
    const holding = fc.oneof(
      fc.constantFrom(canary, ` ${canary}\0`, `${canary}\n${canary}`, `\ud800${canary}`),
      fc.constantFrom(`${canary}@`, `<${canary}@mercy.example>`, `9 ${canary}`, `9 - ${canary}\t`),
      fc.integer({ min: 1, max: 200 }).map(times => canary.repeat(times)),
      fc.constant([canary]),
      fc.constant({ [canary]: canary }),
    )
    const fields = [...Object.keys(aSite()), ...Object.keys(aStudent())]
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...fields), holding), over => {
        for (const parsed of [parseSite(aSite(over)), parseStudent(aStudent(over))]) {
          ok(parsed.ok || !JSON.stringify(parsed.problems).includes(canary.slice(0, 5)))
        }
      }),
      { numRuns: 1000 },
    )
  })
})

describe('the body of a site', () => {
  test('goes to quarantine if only the honeypot is filled in', () => {
    const parsed = parseSite(aSite({ website: ' https://mercy.example\n' }))
    ok(!parsed.ok && parsed.trapped !== undefined)
    equal(parsed.trapped.website, 'https://mercy.example')
  })

  test('is safe to store and to show, whatever fills the honeypot', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 1, maxLength: 300 }), website => {
        const parsed = parseSite(aSite({ website }))
        ok(!parsed.ok && parsed.trapped !== undefined)
        const shown = parsed.trapped.website
        ok(shown.isWellFormed() && shown.length > 0)
        equal(shown, shown.normalize('NFC').trim())
        ok(!/[\p{C}\p{Zl}\p{Zp}]/u.test(shown))
      }),
    )
  })

  test('is not stored if more than the honeypot is wrong', () => {
    const bodies = [aSite({ website: 'x', phone: '1' }), aSite({ website: 'x', fax: '1' })]
    for (const body of bodies) {
      const parsed = parseSite(body)
      ok(!parsed.ok && parsed.trapped === undefined)
    }
  })

  test('is stored with its fields in one order, and without a message if there is none', () => {
    const parsed = parseSite({ ...aSite({ message: ' \n' }) })
    ok(parsed.ok)
    deepEqual(Object.keys(parsed.value), [
      'firstName',
      'lastName',
      'email',
      'phone',
      'company',
      'address',
      'website',
      'startedAt',
    ])
  })

  test('keeps the lines of its address and message', () => {
    const parsed = parseSite(aSite({ address: '100 Main\r\nAustin\r', message: 'One\u2028\tTwo' }))
    ok(parsed.ok)
    equal(parsed.value.address, '100 Main\nAustin')
    equal(parsed.value.message, 'One\n\tTwo')
  })

  test('is not changed by a prototype that it contains', () => {
    const body = JSON.parse('{"__proto__": {"firstName": "Eve"}}')
    const parsed = parseSite(body)
    ok(!parsed.ok)
    ok(asSentence(parsed.problems).startsWith('firstName is required; '))
    equal(({} as Record<string, unknown>)['firstName'], undefined)
  })
})

describe('the body of a student', () => {
  test('is stored without the key and without unknown properties', () => {
    const parsed = parseStudent(aStudent({ shoeSize: 43, idempotencyKey: ' one ' }))
    ok(parsed.ok)
    equal(parsed.idempotencyKey, 'one')
    deepEqual(Object.keys(parsed.value), [
      'firstName',
      'lastName',
      'email',
      'phone',
      'city',
      'state',
      'interestLevel',
      'timeline',
      'experience',
      'source',
      'employer',
      'message',
    ])
  })

  test('has only the answers that were given: an empty string is not an answer', () => {
    const nothing = { city: '', state: ' ', timeline: '\n', employer: '', message: '\t' }
    const parsed = parseStudent(aStudent({ ...nothing, idempotencyKey: '' }))
    ok(parsed.ok)
    equal(parsed.idempotencyKey, undefined)
    for (const field of Object.keys(nothing)) equal(field in parsed.value, false)
  })
})
