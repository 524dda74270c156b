/**
 * The lockout of an email address: more than 5 submissions in an hour lock it for a quarter of an hour. Known and
 * unknown addresses are treated alike. Times are in milliseconds.
 */
import { mailboxKey } from '../../leads/body/mailbox-key.ts'
import { HOUR, MINUTE } from '../../platform/time.ts'
import type { Arrival, LockedOut } from './arrival.ts'
import { isOpen, type Window } from './counting-windows.ts'

export const LOCKOUT = { points: 5, duration: HOUR, block: 15 * MINUTE } as const

/** The key that counts the submissions of an arrival's mailbox; null if no lockout applies to the arrival. */
export const lockoutKeyOf = ({ email, lockout }: Pick<Arrival, 'email' | 'lockout'>) =>
  lockout && email !== null ? `lockout ${mailboxKey(email)}` : null

/**
 * The window of an address after one more submission. Once the points exceed the limit, the address is locked until the
 * window's end; submissions meanwhile do not count, and do not prolong the lockout.
 *
 * The rule of a counting window is written down four times, and tests compare the results: here, in `afterHit`
 * (counting-windows.ts), and as SQL in postgres/counting.ts and postgres/counted-lockouts.ts.
 */
export function afterSubmission(earlier: Window | undefined, now: number): Window {
  if (!isOpen(earlier, now, LOCKOUT.duration)) return { points: 1, until: now + LOCKOUT.duration }
  if (isLocked(earlier)) return earlier
  const after = { points: earlier.points + 1, until: earlier.until }
  return isLocked(after) ? { ...after, until: now + LOCKOUT.block } : after
}

export const isLocked = ({ points }: Window): boolean => points > LOCKOUT.points

/** The outcome of a submission after which its address has this window; undefined if it may pass. */
export const lockoutOutcome = (window: Window, now: number): LockedOut | undefined =>
  isLocked(window) ? { lockedFor: window.until - now } : undefined
