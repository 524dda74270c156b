/**
 * The lockout of an e-mail address: more than 5 submissions in an hour lock it for a quarter of an
 * hour. Alike for known and unknown addresses. Milliseconds.
 */

import { createHash } from 'node:crypto'
import { emailKey } from '../leads/email.ts'
import { HOUR, MINUTE } from '../time.ts'
import type { LockedOut } from './acceptance.ts'
import { isOpen, type Window } from './counting-windows.ts'

export const LOCKOUT = { points: 5, duration: HOUR, block: 15 * MINUTE } as const

/** What the submissions of an address are counted by. On PostgreSQL it is stored: no address stands there. */
export const lockoutKey = (email: string): string =>
  createHash('sha256').update(emailKey(email)).digest('base64url')

/**
 * An address's window after one more submission. It is locked, until the window's end, when the
 * points exceed those allowed; what comes meanwhile neither counts nor prolongs it.
 */
export function afterSubmission(earlier: Window | undefined, now: number): Window {
  if (!isOpen(earlier, now, LOCKOUT.duration)) return { points: 1, until: now + LOCKOUT.duration }
  if (isLocked(earlier)) return earlier
  const after = { points: earlier.points + 1, until: earlier.until }
  return isLocked(after) ? { ...after, until: now + LOCKOUT.block } : after
}

export const isLocked = ({ points }: Window): boolean => points > LOCKOUT.points

/** What a submission is told that has made this window of its address; undefined when it may pass. */
export const lockoutOutcome = (window: Window, now: number): LockedOut | undefined =>
  isLocked(window) ? { lockedFor: window.until - now } : undefined
