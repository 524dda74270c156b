/** The submission: what a person sent. */
import type { SiteInterest, StudentInterest } from './body-schemas.ts'
import type { FormDetails } from './form-details.ts'

export const kinds = ['student', 'site'] as const

/** The operation that a person used, and so the kind of lead that they are. */
export type Kind = (typeof kinds)[number]

/** What the staff enter or import, or a source posts, has an address or a number; what a person sends has both. */
type Reachable<B extends { email: string; phone: string }> = Omit<B, 'email' | 'phone'> &
  Partial<Pick<B, 'email' | 'phone'>>

export type Body = { site: Reachable<SiteInterest>; student: Reachable<StudentInterest> }

/** Immutable; there is one for each request that we stored. */
export type Submission<K extends Kind = Kind> = {
  [P in K]: {
    id: number
    kind: P
    /** Unix time in milliseconds. */
    receivedAt: number
    /**
     * The status of our response: 400 if the honeypot rejected it, 409 if we told the sender that they
     * already have an account, 429 if the email address was locked.
     */
    answer: 200 | 400 | 409 | 429
    body: Body[P]
    /** What the form adds; null if it came through an operation. */
    form: FormDetails | null
  }
}[K]
