/** The facts that lists find leads by, whatever a stranger wrote into the URL of a form. */
import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import type { ConsentState } from '../../src/leads/body/consent.ts'
import { factsOf, indexedWords, mergedWords } from '../../src/leads/words/search-words.ts'
import { someForm } from '../support/form-details.ts'

const anyText = fc.string({ unit: 'binary', maxLength: 120 })
const aConsent = fc.constantFrom<ConsentState | null>('given', 'refused', 'withdrawn', null)
const person = { firstName: 'Ana', lastName: 'Ruiz', email: 'ana@mail.example', phone: '1' }
const unknown = { phoneE164: null, company: null, state: null, language: null, program: null, campus: null }

const wordsOf = (consent: ConsentState | null, campaign: string, source: string) =>
  indexedWords({ ...person, ...unknown, consent }, [
    { body: person, form: someForm({ campaign: { campaign, source } }) },
  ])

describe('a fact', () => {
  test('is one word that neither ends a search nor begins another, and is found by the same text', () => {
    fc.assert(
      fc.property(anyText, anyText, (campaign, cameFrom) => {
        const facts = factsOf({ campaign, cameFrom })
        const words = wordsOf(null, campaign, cameFrom).split(' ')
        for (const fact of facts) {
          match(fact, /^(campaign|from):[\p{L}\p{N}]{0,40}$/u)
          ok(words.includes(fact))
        }
      }),
    )
  })

  test('about calls and texts is stored once, as the person last said it, while campaigns add up', () => {
    const inquiry = fc.tuple(aConsent, anyText)
    fc.assert(
      fc.property(fc.array(inquiry, { minLength: 1, maxLength: 6 }), inquiries => {
        const stored = inquiries
          .map(([consent, campaign]) => wordsOf(consent, campaign, 'x'))
          .reduce(mergedWords)
          .split(' ')
        const last = inquiries.findLast(([consent]) => consent !== null)?.[0]
        deepEqual(
          stored.filter(word => word.startsWith('consent:')),
          last ? [`consent:${last}`] : [],
        )
        for (const [, campaign] of inquiries) for (const fact of factsOf({ campaign })) ok(stored.includes(fact))
        equal(new Set(stored).size, stored.length)
      }),
    )
  })
})
