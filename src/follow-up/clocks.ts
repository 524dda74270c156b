/** What the steps of the follow-up are timed by: a clock that is open at some times and closed at others. */
import type { Delay } from './delay.ts'

/** Moments are Unix time in whole milliseconds. */
export type StepClock = {
  /**
   * The moment `delay` after `start`: one at which the clock is open, and never before `start`. The
   * minutes of the delay may be negative where its days outweigh them.
   */
  after(start: number, delay: Delay): number
  /** `moment` itself or, where the clock is closed then, the next moment at which it is open. */
  open(moment: number): number
}
