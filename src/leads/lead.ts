/** What a lead is, wherever it is spoken of. */
import type { Kind } from './submission.ts'

/** A person of one kind whom the team follows up. */
export type Lead = {
  id: number
  kind: Kind
  stage: string
  closedReason: string | null
  email: string
  firstName: string
  lastName: string
  phone: string
  /** E.164, where the number could be read. */
  phoneE164: string | null
  company: string | null
  state: string | null
  /** The id of the counselor who follows up; null where the team does. */
  owner: string | null
  /** When somebody of the school first tried to reach them, and when they first did. */
  firstAttemptAt: number | null
  firstContactAt: number | null
  /** Since when the follow-up rests on somebody's wish. */
  pausedAt: number | null
  /** When they last answered a letter. */
  repliedAt: number | null
  /** Whether the learning site had an account for them when they wrote in. */
  account: boolean
  createdAt: number
  updatedAt: number
}
