/** When a delivery that failed is tried again, and when it is given up. */
import { DAY, HOUR, MINUTE, SECOND } from '../platform/time.ts'

/** The waits after the first attempts, as Standard Webhooks suggests. After that, there is one attempt each day. */
const WAITS = [5 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR]

/** A delivery is given up this long after its first attempt or its destination's first failure, in milliseconds. */
const GIVE_UP_AFTER = 5 * DAY

/** The longest wait that a receiver may ask for, in milliseconds. */
const LONGEST_ASKED = DAY

export const isGivenUp = (failsSince: number, now: number): boolean => now - failsSince >= GIVE_UP_AFTER

/**
 * The wait before the next attempt, in milliseconds, lengthened or shortened by up to a fifth. `attempts`: how many
 * there were so far, from 1; `random` is in [0, 1).
 */
export const waitAfter = (attempts: number, random: number): number =>
  Math.round((WAITS[attempts - 1] ?? DAY) * (0.8 + 0.4 * random))

/**
 * The end of the pause after this many failures in a row, in which a destination gets no events: otherwise, they would
 * wait for its timeouts one after the other. The pause is a second at first, and at most an hour.
 */
export const pauseAfter = (failures: number, now: number): number =>
  now + Math.min(SECOND * 2 ** Math.min(failures - 1, 30), HOUR)

/** The wait that `Retry-After` asks for, in milliseconds (RFC 9110 section 10.2.3); undefined without a valid one. */
export function askedWait(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined
  const wait = /^\d+$/.test(header) ? Number(header) * SECOND : Date.parse(header) - now
  return Number.isNaN(wait) ? undefined : Math.min(Math.max(wait, 0), LONGEST_ASKED)
}
