/** Acceptance on both engines: what intake hands over, and the outcome. */
import type { Kind } from '../../leads/body/submission.ts'

type Status = 200 | 400 | 409 | 429

/** A submission as intake hands it over, parsed and safe to store. */
export type Arrival = {
  kind: Kind
  receivedAt: number
  /** The idempotency key (`leads/body/idempotency.ts`). */
  key: string
  /** How long the key is reserved for this submission, in milliseconds; null means forever. */
  keyLifetime: number | null
  fingerprint: string
  /** Null if someone at the school entered a person without one. */
  email: string | null
  /** The status of the response, now and for every replay. */
  answer: Status
  /** The parsed body as JSON. */
  body: string
  /** What the form adds to the body, as JSON (`leads/body/form-details.ts`); null from the operations. */
  form: string | null
  clientAddress: string
  /** Whether it counts toward the lockout of its email address (`lockout.ts`). */
  lockout: boolean
}

/**
 * The outcome of an arrival. `accepted`: it is on the disk, with the task to file it. Replay: it had arrived before;
 * nothing was stored. `conflict`: its key was used with another body. Locked out: it is new, but too many came from its
 * address; nothing was stored.
 */
export type Outcome = 'accepted' | Replay | 'conflict' | LockedOut

/** The status of the first response, even if the arrival asks for another now. */
export type Replay = { replayed: Status }

/** How much longer the address is locked, in milliseconds. */
export type LockedOut = { lockedFor: number }

/** The submission that used a key. Without a fingerprint, the submission is gone or was never stored. */
export type ExistingSubmission = { fingerprint: string | null; received_at: number; answer: Status }

/** The outcome that follows from the key alone; undefined if the key is free for this arrival. */
export function outcomeForKey(
  existing: ExistingSubmission | undefined,
  { fingerprint, receivedAt, keyLifetime }: Arrival,
): Replay | 'conflict' | undefined {
  if (existing === undefined || existing.fingerprint === null) return undefined
  if (keyLifetime !== null && receivedAt - existing.received_at >= keyLifetime) return undefined
  return existing.fingerprint === fingerprint ? { replayed: existing.answer } : 'conflict'
}
