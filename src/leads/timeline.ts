/** The timeline of a lead: its kinds of entries, and the words in which the staff reads them. */
import { signalNote } from './screening.ts'

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
  /** Unix time in milliseconds. */
  at: number
  kind: TimelineKind
  submissionId: number | null
  detail: string
  /** The id of the staff member who did it; null if it was not the staff. */
  actor: string | null
}

export type TimelineWords = {
  /** Such as `moved to qualified`. */
  what: string
  /** The words of the staff, the person or a mail server, of any length; usually empty. */
  text: string
  /** The name of the staff member who did it; null if it was not the staff. */
  by: string | null
}

/** A counselor, as far as the timeline names one. */
type Counselor = { id: string; name: string }

/** One entry of a timeline in words. */
export function timelineWords(
  { kind, detail, actor }: Pick<TimelineEntry, 'kind' | 'detail' | 'actor'>,
  counselors: readonly Counselor[],
): TimelineWords {
  const by = actor && counselorName(actor, counselors)
  switch (kind) {
    case 'submission':
      return { what: ['wrote in', ...notesOf(detail)].join('; '), text: '', by }
    case 'email':
      return { what: emailWords[detail] ?? `${detail} sent`, text: '', by }
    case 'stage':
      return { what: stageWords(detail), text: '', by }
    case 'assigned':
      return { what: `assigned to ${assignedTo(detail, counselors)}`, text: '', by }
    default:
      return { what: eventWords[kind], text: detail, by }
  }
}

/** The name of a counselor; the id of one who is no longer in the settings. */
export const counselorName = (id: string, counselors: readonly Counselor[]): string =>
  counselors.find(counselor => counselor.id === id)?.name ?? id

/** The name for the id, and the reason if there is one. */
function assignedTo(detail: string, counselors: readonly Counselor[]): string {
  const [, owner = '', reason = ''] = /^(.*?)((?:: .*)?)$/s.exec(detail) ?? []
  return `${counselorName(owner, counselors)}${reason}`
}

/** From `contacted`, or with a reason `closed: no reply`. */
function stageWords(detail: string): string {
  if (detail === 'contacted') return 'reached'
  return detail.startsWith('closed') ? detail : `moved to ${detail}`
}

const notesOf = (detail: string): string[] =>
  detail === '' ? [] : detail.split(',').map(signalNote)

const emailWords: Record<string, string> = {
  notify: 'team notified',
  receipt: 'receipt sent',
  account: 'account notice sent',
}

const eventWords: Record<
  Exclude<TimelineKind, 'submission' | 'email' | 'stage' | 'assigned'>,
  string
> = {
  attempt: 'no answer',
  note: 'note',
  paused: 'follow-up paused',
  resumed: 'follow-up resumed',
  reply: 'replied',
  'auto-reply': 'sent an automatic reply',
  bounce: 'email bounced',
  complaint: 'reported an email as spam',
  unsubscribed: 'unsubscribed',
  'not-me': 'said that it was not them',
}
