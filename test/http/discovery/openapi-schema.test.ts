import { equal, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { readClientKey } from '../../../src/http/idempotency-key.ts'
import { siteInterestSchema } from '../../../src/leads/body/body-schemas.ts'
import { parseSiteInterest } from '../../../src/leads/body/parse.ts'
import { context, now } from '../../leads/arbitraries.ts'
import { aSite } from '../../support/bodies.ts'
import { documentWith, operationOf, type Property, schemaOf } from './openapi.ts'

const document = documentWith()
const { properties } = schemaOf(document)
const key = operationOf(document).parameters[0]?.schema as Property

const takes = (field: string, value: unknown): boolean => parseSiteInterest(aSite({ [field]: value }), context).ok

/** Both ways in which validators read patterns. */
const patternsOf = ({ pattern = '' }: Property) => [new RegExp(pattern), new RegExp(pattern, 'u')]

const phones = fc
  .string({
    unit: fc.constantFrom(...'0123456789', ...'0123456789', ...'+-. ()/x', 'é', '\u2013'),
    minLength: 10,
    maxLength: 25,
  })
  .filter(text => text === text.trim())

describe('the schema of the description', () => {
  test('has every limit of the schema that parsing reads', () => {
    for (const [name, rule] of Object.entries(siteInterestSchema.properties)) {
      const { format, description, ...limits } = { format: '', ...rule }
      for (const [keyword, value] of Object.entries(limits)) {
        equal(properties[name]?.[keyword as keyof Property], value, `${keyword} of ${name}`)
      }
      ok(properties[name]?.description.startsWith(description))
    }
  })

  test('takes a phone number by its pattern if, and only if, the service does', () => {
    fc.assert(
      fc.property(phones, text => {
        for (const pattern of patternsOf(properties['phone'] as Property)) {
          equal(pattern.test(text), takes('phone', text))
        }
      }),
      { numRuns: 5000 },
    )
  })

  test('has no pattern that only some tools can read', () => {
    const patterns = [...Object.values(properties), key].flatMap(({ pattern = [] }) => pattern)
    equal(patterns.length, 2)
    for (const pattern of patterns) ok(!/\\|\(\?/.test(pattern), pattern)
  })

  test('has the bounds of startedAt that the service has', () => {
    const { minimum = 0, maximum = 0 } = properties['startedAt'] ?? {}
    ok(takes('startedAt', minimum) && !takes('startedAt', minimum - 1))
    const far = { ...context, now: maximum }
    ok(parseSiteInterest(aSite({ startedAt: maximum }), far).ok)
    ok(!parseSiteInterest(aSite({ startedAt: maximum + 1 }), far).ok)
    ok(takes('startedAt', now + 86_400_000) && !takes('startedAt', now + 86_400_001))
  })

  test('rejects every idempotency key that the service rejects', () => {
    const keys = fc.oneof(
      fc.string({ unit: fc.constantFrom('a', '"', '\\', ' ', '~', '\u007f', 'é'), maxLength: 8 }),
      fc.integer({ min: 250, max: 260 }).map(length => 'k'.repeat(length)),
    )
    fc.assert(
      // Quotes with nothing between them are an empty key.
      fc.property(
        keys.filter(text => text.trim() !== '""'),
        text => {
          const { minLength = 0, maxLength = 0 } = key
          const long = text.length >= minLength && text.length <= maxLength
          const fits = patternsOf(key).map(pattern => long && pattern.test(text))
          const { problems } = readClientKey({ 'idempotency-key': text })
          if (fits.includes(true)) equal(problems.length, 0)
        },
      ),
      { numRuns: 5000 },
    )
  })
})
