/** When a failed try is repeated, and when it is given up. */
import { HOUR, SECOND } from '../time.ts'

const FIRST_DELAY = 30 * SECOND
const LONGEST_DELAY = 4 * HOUR

/** Temporary failures are retried for at least this long (RFC 5321 section 4.5.4.1: 4 to 5 days). */
export const GIVE_UP_AFTER = 5 * 24 * HOUR

/** And at least this often: the service may have been down all that time. */
export const GIVE_UP_TRIES = 10

/**
 * The delay before the next try, in milliseconds: from 30 seconds, doubling up to 4 hours, and up
 * to a fifth shorter or longer so that what failed together does not come back together.
 *
 * `attempts` counts the tries so far, from 1; `random` is in [0, 1).
 */
export function retryDelay(attempts: number, random: number): number {
  const delay = Math.min(LONGEST_DELAY, FIRST_DELAY * 2 ** Math.min(attempts - 1, 30))
  return Math.round(delay * (0.8 + 0.4 * random))
}
