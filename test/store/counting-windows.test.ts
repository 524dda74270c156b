import { deepEqual, equal, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { DAY, MINUTE } from '../../src/platform/time.ts'
import { afterHit, type Hit, type Window, Windows } from '../../src/store/acceptance/counting-windows.ts'
import { moments } from './arbitraries.ts'

const LIMIT = 5
const hit = (now: number): Hit => ({ add: 1, duration: MINUTE, now })

/** Many close together, some just at the end of a window. */
const times = moments(fc.nat(MINUTE / 4), fc.constantFrom(0, 1, MINUTE - 1, MINUTE))

describe('a window', () => {
  test('never lets more points through than a limit allows, and rejects no one below it', () => {
    fc.assert(
      fc.property(times, times => {
        let window: Window | undefined
        let opened = Number.NEGATIVE_INFINITY
        let allowed = 0
        for (const now of times) {
          if (now - opened >= MINUTE) [opened, allowed] = [now, 0]
          window = afterHit(window, hit(now))
          equal(window.points <= LIMIT, allowed < LIMIT)
          equal(window.until, opened + MINUTE)
          if (window.points <= LIMIT) allowed++
        }
      }),
    )
  })

  test('ends within its duration, whatever the clock did before', () => {
    const time = fc.integer({ min: 0, max: 10 * DAY })
    const earlier = fc.record({ points: fc.nat(), until: time })
    fc.assert(
      fc.property(fc.option(earlier, { nil: undefined }), time, fc.nat(3), (earlier, now, add) => {
        const window = afterHit(earlier, { add, duration: MINUTE, now })
        ok(window.until > now && window.until <= now + MINUTE)
        ok(window.points >= add)
      }),
    )
  })

  test('is only read when nothing is added', () => {
    const windows = new Windows()
    const look = { add: 0, duration: MINUTE, now: 0 }
    deepEqual(windows.count('a', look), { points: 0, until: MINUTE })
    equal(windows.get('a'), undefined)
    deepEqual(windows.count('a', hit(10)), { points: 1, until: 10 + MINUTE })
    deepEqual(windows.count('a', { ...look, now: 20 }), { points: 1, until: 10 + MINUTE })
  })
})

describe('windows in memory', () => {
  test('count each key as if it were alone, although windows that are over are deleted', () => {
    const key = fc.constantFrom('a', 'b', 'c')
    const hits = times.chain(times => fc.tuple(...times.map(now => fc.tuple(key, fc.constant(now)))))
    fc.assert(
      fc.property(hits, hits => {
        const windows = new Windows()
        const alone = new Map<string, Window>()
        for (const [key, now] of hits) {
          alone.set(key, afterHit(alone.get(key), hit(now)))
          deepEqual(windows.count(key, hit(now)), alone.get(key))
        }
      }),
    )
  })

  test('forget windows soon after they are over', () => {
    const windows = new Windows()
    for (let i = 0; i < 100; i++) windows.count(`key ${i}`, hit(i))
    windows.count('later', hit(3 * MINUTE))
    for (let i = 0; i < 100; i++) equal(windows.get(`key ${i}`), undefined)
  })
})
