import { deepEqual, equal } from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Submission } from '../../src/leads/body/submission.ts'
import { lastGiven, lastWritten } from '../../src/leads/lead/last-given.ts'

const soon = { text: '2 - Within three months', rank: 2 }
const later = { text: '3 - Within a year', rank: 3 }
const ready = { text: '1 - Ready to enroll', rank: 1 }

const wrote = (body: object, form: object | null = null, kind = 'student') =>
  ({ id: 1, kind, receivedAt: 0, answer: 200, body, form }) as unknown as Submission
const entered = (body: object) => wrote(body, { entered: { by: 'jo', name: 'Jo', mayWrite: false, reached: false } })

describe('over several inquiries', () => {
  test('the last answer that was given counts', () => {
    deepEqual(lastGiven([wrote({}), wrote({ timeline: later }), wrote({ timeline: soon })]), { timeline: later })
    deepEqual(lastGiven([entered({}), wrote({ timeline: soon, interestLevel: ready })]), {
      timeline: soon,
      interestLevel: ready,
    })
    deepEqual(lastGiven([]), {})
    deepEqual(lastGiven([wrote({ company: 'Mercy' }, null, 'site')]), {})
  })

  test('a city keeps its state, and a state alone does not keep an earlier city', () => {
    const austin = { city: 'Austin', state: 'Texas' }
    deepEqual(lastGiven([wrote({ state: 'Ohio' }), wrote(austin)]), { state: 'Ohio' })
    deepEqual(lastGiven([wrote({ city: '' }), wrote(austin)]), austin)
  })

  test('what the person wrote comes before what the staff entered, unless the person never wrote', () => {
    const [own, byHand] = [wrote({ message: 'Hello?' }), entered({ message: 'At the fair' })]
    equal(lastWritten([byHand, own]), own)
    equal(lastWritten([byHand, entered({})]), byHand)
    equal(lastWritten([]), undefined)
  })
})
