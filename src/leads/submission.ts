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
    /** The status the sender was answered with; 400 for one that the honeypot refused. */
    answer: 200 | 400
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
  createdAt: number
  updatedAt: number
}
