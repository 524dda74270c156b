/** What can happen to a lead. */

export type TimelineKind =
  | 'submission'
  | 'email'
  | 'stage'
  | 'assigned'
  | 'attempt'
  | 'note'
  | 'paused'
  | 'resumed'
  | 'reply'
  | 'auto-reply'
  | 'bounce'
  | 'complaint'
  | 'unsubscribed'
  | 'not-me'

export type TimelineEntry = {
  at: number
  kind: TimelineKind
  submissionId: number | null
  detail: string
  actor: string | null
}
