/** When a failed attempt is repeated, and when a task is given up. */
import { HOUR, SECOND } from '../../platform/time.ts'

const FIRST_DELAY = 30 * SECOND
const SOON = 4 * SECOND
const LONGEST_DELAY = 4 * HOUR

/** Temporary failures are retried for at least this long (RFC 5321 section 4.5.4.1: 4 to 5 days). */
export const GIVE_UP_AFTER = 5 * 24 * HOUR

/** Before that, a task must also have this many attempts: the service may have been down all that time. */
const GIVE_UP_ATTEMPTS = 10

/** Whether a task whose first attempt was at the moment `since` is given up at the moment `now`. */
export const isTimeToGiveUp = (since: number, attempts: number, now: number): boolean =>
  now - since >= GIVE_UP_AFTER && attempts >= GIVE_UP_ATTEMPTS

/**
 * The delay before the next attempt, in milliseconds. It begins at 30 seconds and doubles up to 4 hours; chance makes
 * it up to a fifth shorter or longer, so that tasks that failed together are not retried together.
 *
 * `attempts` counts the attempts so far, from 1; `random` is in [0, 1). `soon`: the first delay is 4 seconds, because
 * someone waits for the task.
 */
export function retryDelay(attempts: number, random: number, { soon = false } = {}): number {
  const doubled = Math.min(attempts - (soon ? 2 : 1), 30)
  const delay = doubled < 0 ? SOON : Math.min(LONGEST_DELAY, FIRST_DELAY * 2 ** doubled)
  return Math.round(delay * (0.8 + 0.4 * random))
}
