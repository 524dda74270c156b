/** Time as an argument: a clock that moves only when it is told to. */
export type TestClock = { now(): number; advance(milliseconds: number): void }

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
