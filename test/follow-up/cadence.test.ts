import { deepEqual, equal } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { delayBetween, parseDelay } from '../../src/follow-up/cadence.ts'

describe('a delay', () => {
  test('is read from a count and a unit', () => {
    deepEqual(parseDelay('5 minutes'), { days: 0, minutes: 5 })
    deepEqual(parseDelay('1 minute'), { days: 0, minutes: 1 })
    deepEqual(parseDelay('1 hour'), { days: 0, minutes: 60 })
    deepEqual(parseDelay('36 hours'), { days: 0, minutes: 2160 })
    deepEqual(parseDelay('1 day'), { days: 1, minutes: 0 })
    deepEqual(parseDelay('14 days'), { days: 14, minutes: 0 })
    deepEqual(parseDelay('0 minutes'), { days: 0, minutes: 0 })
  })

  test('is at most 365 days long', () => {
    deepEqual(parseDelay('365 days'), { days: 365, minutes: 0 })
    deepEqual(parseDelay('8760 hours'), { days: 0, minutes: 525_600 })
    deepEqual(parseDelay('525600 minutes'), { days: 0, minutes: 525_600 })
    for (const text of ['366 days', '8761 hours', '525601 minutes', '9999999 minutes']) {
      equal(parseDelay(text), undefined, text)
    }
  })

  test('is not valid in any other form', () => {
    const texts = ['', '5', 'minutes', '-1 days', '1.5 hours', '05 minutes', '5  minutes', '5minutes']
    for (const text of [...texts, '1 week', '5 minutes ', '5 minutes\n', '5 Minutes', '١ day']) {
      equal(parseDelay(text), undefined, text)
    }
  })

  test('lies between two others in days and minutes separately', () => {
    deepEqual(delayBetween({ days: 1, minutes: 0 }, { days: 3, minutes: 0 }), { days: 2, minutes: 0 })
    deepEqual(delayBetween({ days: 0, minutes: 2160 }, { days: 2, minutes: 0 }), { days: 2, minutes: -2160 })
  })
})
