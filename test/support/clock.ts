/** Time as an argument: a clock that moves only when it is told to. */
export type TestClock = { now(): number; advance(milliseconds: number): void }

export const SECOND = 1000
export const MINUTE = 60 * SECOND
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR

/** 21 November 2026, a Saturday, 15:00 in New York. */
export function testClock(start = Date.parse('2026-11-21T20:00:00Z')): TestClock {
  let now = start
  return {
    now: () => now,
    advance: milliseconds => {
      now += milliseconds
    },
  }
}
