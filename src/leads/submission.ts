/** What a submission and a lead are, wherever they are spoken of. */
import type { SiteInterest, StudentInterest } from './schema.ts'

/** Which of the two operations somebody used, and so which kind of lead they are. */
export type Kind = 'site' | 'student'

export type Body = { site: SiteInterest; student: StudentInterest }

/** What was sent: immutable, one for each request that was kept. */
export type Submission<K extends Kind = Kind> = {
  [P in K]: {
    id: number
    kind: P
    /** Unix time in milliseconds. */
    receivedAt: number
    /**
     * The status the sender was answered with: 400 for one that the honeypot refused, 409 where the
     * sender was told of an account they have.
     */
    answer: 200 | 400 | 409
    body: Body[P]
  }
}[K]

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
