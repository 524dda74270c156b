import { deepEqual, equal, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import type { StudentInterest } from '../../src/leads/body/body-schemas.ts'
import { isKey, parseText } from '../../src/leads/body/field-formats.ts'
import { timelineInWords, warmthOf } from '../../src/leads/body/ranked-answers.ts'
import { anyText, context, likelyText } from './arbitraries.ts'

const rule = { format: 'ranked', minLength: 5, maxLength: 120 }
const read = (text: string, allowed?: string[]) =>
  parseText('timeline', text, rule, { ...context, answers: allowed ? { timeline: { allowed } } : {} })

describe('a ranked answer', () => {
  test('is its rank and its text if it has the right shape', () => {
    const answers = fc.tuple(fc.integer({ min: 0, max: 9 }), likelyText(1, 40))
    fc.assert(
      fc.property(answers, ([rank, label]) => {
        const { value, problem } = read(`${rank} - ${label}`)
        if (problem !== undefined) return
        deepEqual(value, { rank, text: `${rank} - ${label}`.normalize('NFC').trim() })
      }),
      { numRuns: 1000 },
    )
  })

  test('is rejected in every other shape', () => {
    fc.assert(
      fc.property(anyText(), text => {
        if (!/^\s*[0-9] - \S/.test(text)) ok(read(text).problem !== undefined)
      }),
      { numRuns: 2000 },
    )
  })

  test('is one of those that the settings name, and no other', () => {
    const answer = fc.stringMatching(/^[0-9] - [A-Za-z]{1,10}$/)
    fc.assert(
      fc.property(fc.array(answer, { minLength: 1, maxLength: 5 }), answer, (allowed, text) => {
        equal(read(text, allowed).problem === undefined, allowed.includes(text))
        for (const each of allowed) equal(read(` ${each} `, allowed).problem, undefined)
      }),
    )
  })

  test('matches whatever Unicode form and spaces the settings use', () => {
    const allowed = ['1 - Di\u0301as ']
    deepEqual(read('1 - Días', allowed).value, { rank: 1, text: '1 - Días' })
    deepEqual(read('1 - Di\u0301as', allowed).value, { rank: 1, text: '1 - Días' })
  })
})

test('a key is 1 to 255 printable ASCII characters', () => {
  fc.assert(
    fc.property(anyText(300), text => {
      const printable = [...text].every(character => character >= ' ' && character <= '~')
      equal(isKey(text), printable && text.length >= 1 && text.length <= 255)
    }),
    { numRuns: 2000 },
  )
})

describe('the warmth of answers', () => {
  const scale = { allowed: ['1 - Now', '2 - Soon', '3 - Later'], hotter: 'low' as const }
  const timeline = (rank: number) => ({ timeline: { rank, text: `${rank} - x` } }) as StudentInterest

  test('depends on the place of the rank in the scale of the settings', () => {
    const words = [1, 2, 3].map(rank => warmthOf(timeline(rank), { timeline: scale }))
    deepEqual(words, ['Hot', 'Warm', 'Cool'])
    const upward = { timeline: { ...scale, hotter: 'high' as const } }
    deepEqual(
      [1, 2, 3].map(rank => warmthOf(timeline(rank), upward)),
      ['Cool', 'Warm', 'Hot'],
    )
  })

  test('is on a scale of 1 to 5 if the settings list no answers', () => {
    const words = [0, 1, 2, 3, 4, 5, 9].map(rank => warmthOf(timeline(rank), { timeline: { hotter: 'high' } }))
    deepEqual(words, ['Cool', 'Cool', 'Cool', 'Warm', 'Hot', 'Hot', 'Hot'])
  })

  test('is the average of the answers, and not known without a scale or an answer', () => {
    const both = { ...timeline(1), interestLevel: { rank: 3, text: '3 - y' } }
    equal(warmthOf(both, { timeline: scale, interestLevel: scale }), 'Warm')
    equal(warmthOf(both, {}), null)
    equal(warmthOf({} as StudentInterest, { timeline: scale }), null)
    equal(warmthOf(timeline(1), { timeline: { ...scale, allowed: ['1 - Now'] } }), null)
  })
})

test('a timeline begins with "start" where that makes a phrase', () => {
  const phrases = {
    '2 - Within three months': 'start within three months',
    '1 - As soon as possible': 'start as soon as possible',
    '5 - Not sure yet': 'Not sure yet',
    '3 - Information only': 'Information only',
  }
  for (const [text, phrase] of Object.entries(phrases)) {
    const body = { timeline: { rank: 1, text } } as StudentInterest
    equal(timelineInWords(body), phrase)
  }
  equal(timelineInWords({} as StudentInterest), null)
})
