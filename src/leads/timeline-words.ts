/** What happened to a lead, in words: an entry of its timeline as the staff reads it. */
import type { Settings } from '../config/settings.ts'
import { type Signal, signalNotes } from './screening.ts'
import type { TimelineEntry } from './timeline.ts'

export type TimelineWords = {
  /** Such as `moved to contacted`. */
  what: string
  /** What somebody of the staff, the person or a mail server wrote, of any length; mostly empty. */
  text: string
  /** The name of whoever did it; null where nobody of the staff did. */
  by: string | null
}

export function timelineWords(
  { kind, detail, actor }: Pick<TimelineEntry, 'kind' | 'detail' | 'actor'>,
  settings: Settings,
): TimelineWords {
  const by = actor && counselorName(actor, settings)
  switch (kind) {
    case 'submission':
      return { what: ['wrote in', ...notesOf(detail)].join('; '), text: '', by }
    case 'email':
      return { what: emailWords[detail] ?? `${detail} sent`, text: '', by }
    case 'stage':
      return { what: `moved to ${detail}`, text: '', by }
    case 'assigned':
      return { what: `assigned to ${assignedTo(detail, settings)}`, text: '', by }
    default:
      return { what: eventWords[kind], text: detail, by }
  }
}

/** What a counselor is called; of somebody who is none any more, what they were known by. */
export const counselorName = (id: string, { admissions }: Settings): string =>
  admissions.counselors.find(counselor => counselor.id === id)?.name ?? id

/** The name for the id, and the reason where there is one. */
function assignedTo(detail: string, settings: Settings): string {
  const [, owner = '', reason = ''] = /^(.*?)((?:: .*)?)$/s.exec(detail) ?? []
  return `${counselorName(owner, settings)}${reason}`
}

const notesOf = (signals: string): string[] =>
  signals === '' ? [] : signals.split(',').map(signal => signalNotes[signal as Signal])

const emailWords: Record<string, string> = {
  notify: 'team notified',
  receipt: 'receipt sent',
  account: 'told of their account',
}

const eventWords: Record<
  Exclude<TimelineEntry['kind'], 'submission' | 'email' | 'stage' | 'assigned'>,
  string
> = {
  attempt: 'tried to reach them',
  note: 'note',
  paused: 'follow-up paused',
  resumed: 'follow-up resumed',
  reply: 'answered',
  'auto-reply': 'an automatic answer came',
  bounce: 'a message came back',
  complaint: 'reported a letter as spam',
  unsubscribed: 'unsubscribed',
  'not-me': 'said that it was not them who wrote in',
}
