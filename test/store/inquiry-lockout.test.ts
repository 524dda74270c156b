import { deepEqual, equal, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { DAY, HOUR, MINUTE } from '../../src/platform/time.ts'
import type { Window } from '../../src/store/acceptance/counting-windows.ts'
import { afterSubmission, isLocked, LOCKOUT } from '../../src/store/acceptance/inquiry-lockout.ts'
import { moments } from './arbitraries.ts'

/** Close enough together for a lockout now and then. */
const times = moments(
  fc.nat(30 * MINUTE),
  fc.nat(2 * MINUTE),
  fc.constantFrom(0, 1, LOCKOUT.block - 1, LOCKOUT.block, HOUR - 1, HOUR),
)

type Verdict = { now: number; window: Window; refused: boolean }

/** What becomes of submissions of one address at these moments. */
function judge(times: number[]): Verdict[] {
  let window: Window | undefined
  return times.map(now => {
    window = afterSubmission(window, now)
    return { now, window, refused: isLocked(window) }
  })
}

describe('a lockout', () => {
  test('lets at most five of an hour through, and at most ten in a quarter of an hour', () => {
    fc.assert(
      fc.property(times, times => {
        const accepted = judge(times).filter(({ refused }) => !refused)
        for (const first of accepted) {
          const together = accepted.filter(({ window }) => window.until === first.window.until)
          ok(together.length <= LOCKOUT.points)
          const close = ({ now }: Verdict) => now >= first.now && now < first.now + LOCKOUT.block
          ok(accepted.filter(close).length <= 2 * LOCKOUT.points)
        }
      }),
    )
  })

  test('begins with the sixth of the hour that the first began', () => {
    fc.assert(
      fc.property(times, times => {
        const verdicts = judge(times)
        const first = verdicts[0] as Verdict
        const ofHour = verdicts.filter(({ now }) => now < first.now + LOCKOUT.duration)
        for (const [i, { refused }] of ofHour.slice(0, LOCKOUT.points + 1).entries()) {
          equal(refused, i === LOCKOUT.points)
        }
      }),
    )
  })

  test('lasts a quarter of an hour, however often someone tries meanwhile', () => {
    fc.assert(
      fc.property(times, times => {
        let locked: Window | undefined
        for (const { now, window, refused } of judge(times)) {
          if (locked && now < locked.until) deepEqual(window, locked)
          else if (refused) equal(window.until, now + LOCKOUT.block)
          // A sender who waits it out gets through.
          if (locked && now >= locked.until && !refused) equal(window.points, 1)
          locked = refused ? window : undefined
        }
      }),
    )
  })

  test('never affects anyone who writes five times an hour or less', () => {
    fc.assert(
      fc.property(times, times => {
        const few: number[] = []
        for (const now of times) {
          const ofHour = few.filter(earlier => earlier > now - LOCKOUT.duration)
          if (ofHour.length < LOCKOUT.points) few.push(now)
        }
        ok(judge(few).every(({ refused }) => !refused))
      }),
    )
  })

  test('is over when the clock was set back so far that it would end too late', () => {
    const locked = { points: LOCKOUT.points + 1, until: 10 * DAY }
    deepEqual(afterSubmission(locked, DAY), { points: 1, until: DAY + LOCKOUT.duration })
  })
})
