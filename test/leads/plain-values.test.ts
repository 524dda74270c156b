import { deepEqual, equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { siteInterestSchema, studentInterestSchema } from '../../src/leads/body/body-schemas.ts'
import { type FieldRule, parseStartedAt, parseText } from '../../src/leads/body/field-formats.ts'
import { plainValue } from '../../src/leads/body/plain-values.ts'
import { aSite, aStudent } from '../support/bodies.ts'
import { context, now } from './arbitraries.ts'

const fields = Object.entries<FieldRule>({
  ...siteInterestSchema.properties,
  ...studentInterestSchema.properties,
}).filter(([, { format }]) => format !== 'honeypot')

const piece = fc.constantFrom(
  'a',
  'Z',
  '5',
  '0123456789',
  ' ',
  '.',
  '..',
  '-',
  '@',
  '+',
  '_',
  "'",
  '"',
  '(',
  ')',
  '#',
  '1 - a',
  '1 -  a',
  '1 - ',
  ' - ',
  'TX',
  'in',
  'xn--a',
  'ana@mail.example',
  'x'.repeat(64),
  'é',
  '\u0301',
  '\n',
  '\t',
  '\0',
  '\u202e',
  '\u200b',
  '\ud800',
  '😀',
)
const texts = fc.array(piece, { maxLength: 8 }).map(pieces => pieces.join(''))

test('a value that is read without a closer look is the one that a closer look gives', () => {
  fc.assert(
    fc.property(fc.constantFrom(...fields), texts, ([field, rule], text) => {
      const value = plainValue(field, text, rule, context)
      if (value === undefined) return
      deepEqual(parseText(field, text, rule, context), { value })
    }),
    { numRuns: 5000 },
  )
  const moments = fc.oneof(fc.double(), fc.integer(), fc.integer({ min: now - 1e12, max: now + 1e9 }))
  fc.assert(
    fc.property(moments, raw => {
      const rule = siteInterestSchema.properties.startedAt
      const value = plainValue('startedAt', raw, rule, context)
      if (value !== undefined) deepEqual(parseStartedAt('startedAt', raw, context), { value })
    }),
  )
})

test('hardly any body needs a closer look', () => {
  for (const body of [aSite({}, now), aStudent()]) {
    for (const [field, rule] of fields) {
      const raw = (body as Record<string, unknown>)[field]
      if (raw !== undefined) ok(plainValue(field, raw, rule, context) !== undefined, field)
    }
  }
  equal(plainValue('email', 'a@b@c.example', { format: 'email', maxLength: 120 }, context), undefined)
})
