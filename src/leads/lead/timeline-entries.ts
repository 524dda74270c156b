/** The timeline of a lead: its kinds of entries, and what each records. */
import type { Attachment } from '../attachments/attachment.ts'
import type { ConsentState } from '../body/consent.ts'

export type TimelineKind =
  | 'submission'
  | 'email'
  | 'stage'
  | 'assigned'
  | 'attempt'
  | 'note'
  | 'paused'
  | 'resumed'
  | 'undone'
  | 'fresh-link'
  | 'closing'
  | 'message'
  | 'skipped'
  | 'corrected'
  | 'withdrawn'
  | 'merged'
  | 'unmerged'
  | 'labeled'
  | 'unlabeled'
  | 'callback'
  | 'callback-ended'
  | 'no-answer-needed'
  | EmailEventKind

/** A message that came in about a lead, or a request to stop our emails. */
export type EmailEventKind =
  | 'reply'
  | 'auto-reply'
  | 'bounce'
  | 'complaint'
  | 'unsubscribed'
  | 'not-me'
  | 'copy'
  | 'claim'
  | 'staff-mail'

/** More about an email. Each part is present only if it is known. */
export type MailFacts = {
  /** The name of the person or team that we notified. */
  to?: string
  /** The sender's address, if it is not the one that we know. */
  from?: string
  /** The address that the email is about, if it is the address of a lead that was merged into this one. */
  address?: string
  /** The subject, unless it only repeats ours. */
  subject?: string
  /** Anyone may have sent it: it has changed nothing. */
  unproven?: true
  /** Its Message-ID without angle brackets, and its subject, so that we can reply to it. */
  original?: { id: string; subject: string }
  /** An email of the cadence that went to the person, not to the staff. */
  toPerson?: true
  /** For an email that someone at the school wrote: the Message-ID that it replies to. */
  answers?: string
  /** The id of the operator who wrote it: two may have one name. */
  operator?: number
  /** Whether it counts as having reached the person once it is sent. */
  reached?: boolean
  /** Identifies the form that it was sent with, so that pressing the button twice sends it once. */
  token?: string
}

export type TimelineEntry = {
  id: number
  /** Unix time in milliseconds. */
  at: number
  /** The lead that the entry came from, if that lead was merged into this one. */
  mergedFrom?: number
  kind: TimelineKind
  submissionId: number | null
  detail: string
  /** Who did it: the id of a counselor, `manager`, or words such as `command line`; null if it was not the staff. */
  actor: string | null
  /** For an email: more about it. */
  mail?: MailFacts | null
  /** The files that came or go with an email, if there are any. */
  attachments?: Attachment[]
  /** The state before the action, as far as the action changed it; null if it cannot be undone. */
  was: Was | null
  undoneAt: number | null
}

/**
 * What it takes to undo an action: the lead's columns as they were before it or, for a skipped step, a label or a
 * merge, what the action was about.
 */
export type Was = {
  owner?: string | null
  stage?: string
  closedReason?: string | null
  stageSince?: number | null
  firstAttemptAt?: number | null
  firstContactAt?: number | null
  wrongPhone?: string | null
  /** When the person wrote what the action has answered. */
  unansweredSince?: number
  consent?: ConsentState | null
  consentAt?: number | null
  /** The index of a step that was skipped, and of the step after it. */
  step?: number
  next?: number | null
  email?: string | null
  phone?: string | null
  phoneE164?: string | null
  latestPhone?: string | null
  language?: string | null
  languageAt?: number | null
  /** The id of the callback that was planned or moved, and what it was before it was moved. */
  callback?: number
  movedFrom?: { due_at: number; assignee: string | null; words: string; entry_id: number }
  /** The ids of the callbacks that ended. */
  callbacks?: number[]
  merge?: MergeRecord
  /** The id of the label that was given or taken off. */
  label?: number
  /** The reminders that began again when all of someone's leads were handed over; empty if the lead had none. */
  reminders?: Columns[]
}

/** What a merge changed in the kept lead, so that it can be undone exactly. */
export type MergeRecord = {
  /** The id of the other lead, and its stage before the merge. */
  lead: number
  stage: string
  closedReason: string | null
  unansweredSince: number | null
  /** The columns of the lead that the merge changed: their values before it and after it. */
  before: Columns
  after: Columns
  /** The steps of its follow-up that began again, in the same way. */
  stepsBefore: Columns[]
  stepsAfter: Columns[]
  /** The positions, in its cadence, of the steps on the tracks that it took from the other. */
  taken: number[]
  /** The tasks of automatic emails to the other address that were not sent. */
  unsent: number[]
  /** The ids of the labels, and of the callbacks, that it took from the other. */
  labels: number[]
  callbacks: number[]
}

type Columns = Record<string, string | number | null>
