import { deepEqual, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { DAY, HOUR, SECOND } from '../../src/platform/time.ts'
import { GIVE_UP_AFTER, retryDelay } from '../../src/tasks/lanes/retry.ts'

/** Any value of Math.random. */
const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })
const middle = (attempts: number) => retryDelay(attempts, 0.5)

describe('the delays between attempts', () => {
  test('begin at half a minute and double, up to four hours', () => {
    ok(middle(1) === 30 * SECOND)
    ok(middle(2) === 60 * SECOND)
    ok(middle(9) === 256 * 30 * SECOND)
    for (const attempts of [10, 11, 50, 10_000]) ok(middle(attempts) === 4 * HOUR)
  })

  test('begin with a short one where someone waits', () => {
    const delays = [1, 2, 3].map(attempts => retryDelay(attempts, 0.5, { soon: true }))
    deepEqual(delays, [4 * SECOND, 30 * SECOND, 60 * SECOND])
  })

  test('never shrink, and stay within a fifth of the middle and below four hours and a fifth', () => {
    const attempts = fc.integer({ min: 1, max: 100_000 })
    fc.assert(
      fc.property(attempts, random, (attempts, random) => {
        const delay = retryDelay(attempts, random)
        ok(middle(attempts + 1) >= middle(attempts))
        ok(delay >= middle(attempts) * 0.8 - 1 && delay <= middle(attempts) * 1.2 + 1)
        ok(delay <= 4 * HOUR * 1.2)
        ok(Number.isInteger(delay))
      }),
    )
  })

  test('use the whole range, so that tasks that failed together are not retried together', () => {
    ok(retryDelay(3, 0) === 96 * SECOND)
    ok(retryDelay(3, 0.999_999_999) === 144 * SECOND)
  })

  test('allow about forty attempts within the five days, for any random numbers', () => {
    ok(GIVE_UP_AFTER === 5 * DAY)
    fc.assert(
      fc.property(fc.array(random, { minLength: 100, maxLength: 100 }), chances => {
        let elapsed = 0
        let tries = 1
        while (elapsed < GIVE_UP_AFTER) elapsed += retryDelay(tries, chances[tries++] ?? 0)
        ok(tries >= 30 && tries <= 50, `${tries} tries`)
      }),
    )
  })
})
