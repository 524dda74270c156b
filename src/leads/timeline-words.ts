/** An entry of a lead's timeline in words, as the staff reads it. */
import type { Settings } from '../config/settings.ts'
import { type Signal, signalNotes } from './screening.ts'
import type { TimelineEntry } from './timeline.ts'

export type TimelineWords = {
  /** Such as `moved to qualified`. */
  what: string
  /** The words of the staff, the person or a mail server, of any length; mostly empty. */
  text: string
  /** The name of the staff member who did it; null where it was not the staff. */
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
      return { what: stageWords(detail), text: '', by }
    case 'assigned':
      return { what: `assigned to ${assignedTo(detail, settings)}`, text: '', by }
    default:
      return { what: eventWords[kind], text: detail, by }
  }
}

/** The name of a counselor; the id of one who is no longer in the settings. */
export const counselorName = (id: string, { admissions }: Settings): string =>
  admissions.counselors.find(counselor => counselor.id === id)?.name ?? id

/** The name for the id, and the reason where there is one. */
function assignedTo(detail: string, settings: Settings): string {
  const [, owner = '', reason = ''] = /^(.*?)((?:: .*)?)$/s.exec(detail) ?? []
  return `${counselorName(owner, settings)}${reason}`
}

/** From `contacted`, or with a reason `closed: no reply`. */
function stageWords(detail: string): string {
  if (detail === 'contacted') return 'reached'
  return detail.startsWith('closed') ? detail : `moved to ${detail}`
}

const notesOf = (signals: string): string[] =>
  signals === '' ? [] : signals.split(',').map(signal => signalNotes[signal as Signal])

const emailWords: Record<string, string> = {
  notify: 'team notified',
  receipt: 'receipt sent',
  account: 'account notice sent',
}

const eventWords: Record<
  Exclude<TimelineEntry['kind'], 'submission' | 'email' | 'stage' | 'assigned'>,
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
