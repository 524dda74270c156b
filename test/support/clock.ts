/** A clock that moves only when a test advances it. */
export type TestClock = { now(): number; advance(milliseconds: number): void }

/** Starts on November 21, 2026, a Saturday, at 15:00 in New York. */
export function testClock(start = Date.parse('2026-11-21T20:00:00Z')): TestClock {
  let now = start
  return {
    now: () => now,
    advance: milliseconds => {
      now += milliseconds
    },
  }
}

/** The same from now on, for tests in which browsers and other programs read clocks of their own. */
export const currentTestClock = (): TestClock => testClock(Date.now())
