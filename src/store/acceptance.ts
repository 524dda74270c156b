/** What acceptance is, whichever engine does it: the terms between intake and the engines. */
import type { Kind } from '../leads/submission.ts'

type Status = 200 | 400 | 409

/** A submission as intake hands it over, parsed and safe to store. */
export type Arrival = {
  kind: Kind
  receivedAt: number
  /** What makes it unique (`leads/idempotency.ts`). */
  key: string
  /** For how long the key stands for the same submission, in milliseconds; null is for good. */
  keyLifetime: number | null
  fingerprint: string
  email: string
  /** The status that the sender is answered with, now and at every replay. */
  answer: Status
  /** The parsed body as JSON. */
  body: string
  clientAddress: string
  /** What its lockout is counted by (`lockout.ts`); null where none applies. */
  lockout: string | null
}

/**
 * What became of an arrival. `accepted`: it is on the disk, with the task to file it. Replayed:
 * it was there before and nothing was stored. `conflict`: its key stands for another body. Locked:
 * it is new, and its address has sent too many; nothing was stored.
 */
export type Outcome = 'accepted' | Replay | 'conflict' | LockedOut

/** What was answered the first time, whatever the arrival says now. */
export type Replay = { replayed: Status }

/** In milliseconds. */
export type LockedOut = { lockedFor: number }

/** The submission that a key stands for. Without a fingerprint, it is gone or has never been. */
export type ExistingSubmission = { fingerprint: string | null; received_at: number; answer: Status }

/** What becomes of an arrival by its key alone; undefined when the key is free for it. */
export function outcomeForKey(
  former: ExistingSubmission | undefined,
  { fingerprint, receivedAt, keyLifetime }: Arrival,
): Replay | 'conflict' | undefined {
  if (former === undefined || former.fingerprint === null) return undefined
  if (keyLifetime !== null && receivedAt - former.received_at >= keyLifetime) return undefined
  return former.fingerprint === fingerprint ? { replayed: former.answer } : 'conflict'
}
