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
