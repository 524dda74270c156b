import { equal, match, notEqual, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { clientKey, fingerprintKey, fingerprintOf, refusedKey } from '../../src/leads/body/idempotency.ts'
import { parseSiteInterest, parseStudentInterest } from '../../src/leads/body/parse.ts'
import { aSite, aStudent } from '../support/bodies.ts'
import { context, now } from './arbitraries.ts'

function siteFingerprint(body: unknown): string {
  const parsed = parseSiteInterest(body, context)
  ok(parsed.ok, 'the body is valid')
  return fingerprintOf('site', JSON.stringify(parsed.value))
}

function studentFingerprint(body: unknown): string {
  const parsed = parseStudentInterest(body, context)
  ok(parsed.ok, 'the body is valid')
  return fingerprintOf('student', JSON.stringify(parsed.value))
}

describe('the fingerprint of a body', () => {
  const site = aSite()
  const student = aStudent()

  test('is equal exactly for bodies that say the same', () => {
    const few = fc.constantFrom('Ana', 'ana', 'Ben', 'Ana Ben')
    const bodies = fc
      .record({ firstName: few, lastName: few, company: few, message: fc.option(few) })
      .map(({ message, ...over }) => ({ ...site, ...over, message: message ?? '' }))
    fc.assert(
      fc.property(bodies, bodies, (one, other) =>
        equal(siteFingerprint(one) === siteFingerprint(other), isDeepStrictEqual(one, other)),
      ),
      { numRuns: 1000 },
    )
  })

  for (const [field, value] of Object.entries({
    firstName: 'Eva',
    lastName: 'Ruíz',
    email: 'eva@mercy.example',
    phone: '(512) 555-0143',
    company: 'Mercy hospital',
    address: '101 Main Street, Austin, TX 78701',
    message: undefined,
    startedAt: now - 60_001,
  })) {
    test(`differs if ${field} of a site differs`, () =>
      notEqual(siteFingerprint({ ...site, [field]: value }), siteFingerprint(site)))
  }

  for (const [field, value] of Object.entries({
    firstName: 'Bea',
    lastName: 'Okafór',
    email: 'bea@mail.example',
    phone: '512-555-0198',
    city: 'Waco',
    state: 'OK',
    interestLevel: '2 - Ready to enroll',
    timeline: '2 - Within four months',
    experience: undefined,
    source: '',
    employer: 'Lone Star diner',
    message: 'Are there evening classes',
  })) {
    test(`differs if ${field} of a student differs`, () =>
      notEqual(studentFingerprint({ ...student, [field]: value }), studentFingerprint(student)))
  }

  test('is equal if the difference is not stored', () => {
    const fingerprint = studentFingerprint(student)
    equal(studentFingerprint({ ...student, city: ' Austin\n' }), fingerprint)
    equal(studentFingerprint({ ...student, state: 'texas' }), fingerprint)
    equal(studentFingerprint({ ...student, shoeSize: 43 }), fingerprint)
    equal(studentFingerprint({ ...student, idempotencyKey: 'another' }), fingerprint)
    equal(studentFingerprint({ ...student, email: student.email.replace('mail.', 'MAIL.') }), fingerprint)
  })

  test('cannot be shifted from one field into the next', () => {
    const one = { ...site, firstName: 'Ana Maria', lastName: 'Ruiz' }
    const other = { ...site, firstName: 'Ana', lastName: 'Maria Ruiz' }
    notEqual(siteFingerprint(one), siteFingerprint(other))
  })
})

describe('the key of a submission', () => {
  const kinds = fc.constantFrom('site' as const, 'student' as const)
  const parts = fc.tuple(kinds, fc.stringMatching(/^[\x20-\x7e]{1,20}$/))

  test('is equal for the same operation and client key, and for no others', () => {
    fc.assert(
      fc.property(parts, parts, (one, other) =>
        equal(clientKey(...one) === clientKey(...other), isDeepStrictEqual(one, other)),
      ),
      { numRuns: 1000 },
    )
  })

  test('differs for each operation', () => {
    notEqual(clientKey('site', 'one'), clientKey('student', 'one'))
  })

  test('is short, whatever the client sent', () => {
    match(clientKey('student', 'k'.repeat(255)), /^c[\w-]{22}$/)
  })

  test('never collides between a client key, a body and a rejected body', () => {
    fc.assert(
      fc.property(parts, fc.stringMatching(/^[\w-]{22}$/), ([kind, key], fingerprint) => {
        const all = [clientKey(kind, key), fingerprintKey(fingerprint), refusedKey(fingerprint)]
        equal(new Set(all.map(each => each[0])).size, 3)
      }),
    )
  })

  test('differs for every body', () => {
    notEqual(fingerprintKey(siteFingerprint(aSite())), fingerprintKey(siteFingerprint(aSite())))
    const body = aStudent()
    equal(fingerprintKey(studentFingerprint(body)), fingerprintKey(studentFingerprint(body)))
  })
})
