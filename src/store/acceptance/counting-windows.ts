/** Counting in fixed windows: points add up until one ends, then counting starts again. Times are Unix milliseconds. */
import { CLOCK_SKEW } from '../tasks/clock-skew.ts'

export type Window = { points: number; until: number }

/** Adds `add` points in a window of `duration` milliseconds. 0 points only read; negative points give points back. */
export type Hit = { add: number; duration: number; now: number }

/**
 * A window after a hit. A window with an end too far in the future counts as over, since the clock was set back.
 *
 * The rule of a counting window is written down four times, and tests compare the results: here, in `afterSubmission`
 * (inquiry-lockout.ts), and as SQL in postgres/counting.ts and postgres/counted-lockouts.ts.
 */
export function afterHit(earlier: Window | undefined, { add, duration, now }: Hit): Window {
  return isOpen(earlier, now, duration)
    ? { points: earlier.points + add, until: earlier.until }
    : { points: add, until: now + duration }
}

/** Whether a window of this duration is not over yet. */
export const isOpen = (window: Window | undefined, now: number, duration: number): window is Window =>
  window !== undefined && window.until > now && window.until <= now + duration + CLOCK_SKEW

/** How often windows that are over are deleted, in milliseconds. */
const SWEEP_EVERY = 60_000

/** Windows in memory, by key. */
export class Windows {
  readonly #windows = new Map<string, Window>()
  #swept = 0

  get(key: string): Window | undefined {
    return this.#windows.get(key)
  }

  set(key: string, window: Window, now: number): void {
    this.#windows.set(key, window)
    if (Math.abs(now - this.#swept) < SWEEP_EVERY) return
    this.#swept = now
    for (const [old, { until }] of this.#windows) if (until <= now) this.#windows.delete(old)
  }

  count(key: string, hit: Hit): Window {
    const window = afterHit(this.#windows.get(key), hit)
    if (hit.add !== 0) this.set(key, window, hit.now)
    return window
  }
}
