/** When an event is tried again, and how long its destination gets nothing. */
import { deepEqual, equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { askedWait, isGivenUp, pauseAfter, waitAfter } from '../../src/destinations/retries.ts'
import { DAY, HOUR, MINUTE, SECOND } from '../../src/platform/time.ts'

test('an event is tried again after 5 seconds at first and then less and less often, up to once a day, until five days have passed', () => {
  const waits = Array.from({ length: 12 }, (_, n) => waitAfter(n + 1, 0.5))
  deepEqual(waits.slice(0, 4), [5 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR])
  deepEqual(
    waits,
    waits.toSorted((one, other) => one - other),
  )
  deepEqual(waits.slice(8), [DAY, DAY, DAY, DAY])
  equal(isGivenUp(0, 5 * DAY - 1), false)
  ok(isGivenUp(0, 5 * DAY))
})

test('chance makes each wait up to a fifth shorter or longer', () => {
  for (const attempts of [1, 5, 40]) {
    const usual = waitAfter(attempts, 0.5)
    equal(waitAfter(attempts, 0), Math.round(usual * 0.8))
    ok(waitAfter(attempts, 0.999) <= usual * 1.2)
  }
})

test('a destination gets nothing for a second after its first failure, and for an hour at most', () => {
  equal(pauseAfter(1, 0), SECOND)
  equal(pauseAfter(2, 0), 2 * SECOND)
  for (const failures of [13, 100, 100_000]) equal(pauseAfter(failures, 0), HOUR)
})

test('Retry-After counts in seconds or as a date, up to a day, and is passed over if it says nothing', () => {
  const now = Date.parse('2026-11-27T10:00:00Z')
  equal(askedWait('120', now), 2 * MINUTE)
  equal(askedWait('Fri, 27 Nov 2026 10:05:00 GMT', now), 5 * MINUTE)
  equal(askedWait('Fri, 27 Nov 2026 09:00:00 GMT', now), 0)
  equal(askedWait('99999999', now), DAY)
  for (const header of [undefined, '', 'soon']) equal(askedWait(header, now), undefined)
})
