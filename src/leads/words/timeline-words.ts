/** A timeline in the words that the staff reads. */
import { attachmentInWords } from '../attachments/attachment.ts'
import { signalNote } from '../body/screening.ts'
import { callIn, callWords } from '../lead/call-outcomes.ts'
import { labelInWords } from '../lead/labels.ts'
import { actorName, ownerName, type Roster } from '../lead/staff.ts'
import { reasonName, stageName } from '../lead/stages.ts'
import {
  failedDelivery,
  IMPORTED,
  isCompleted,
  isCorrection,
  otherLeadIn,
  ownerIn,
  signalsIn,
} from '../lead/timeline-details.ts'
import type { MailFacts, TimelineEntry, TimelineKind } from '../lead/timeline-entries.ts'

export type TimelineWords = {
  what: string
  /** What screening noticed about an inquiry, a sentence each. */
  notes: string[]
  /** The words of staff, of the person or of a mail server, which may be long; usually empty. */
  text: string
  /** The name of the staff member who did it; null if it was not the staff. */
  by: string | null
  /** The files of an email, such as `transcript.pdf (120 KB)`. */
  attachments: string[]
}

export function timelineWords(
  entry: Pick<TimelineEntry, 'kind' | 'detail' | 'actor' | 'undoneAt' | 'mail' | 'attachments'>,
  roster: Roster,
): TimelineWords {
  const { what, ...others } = wordsOf(entry, roster)
  const words = {
    ...others,
    notes: entry.kind === 'submission' ? signalsIn(entry.detail).map(signalNote) : [],
    attachments: (entry.attachments ?? []).map(attachmentInWords),
  }
  if (entry.kind === 'message' && entry.undoneAt !== null) return { what: 'email to them canceled', ...words }
  return { what: entry.undoneAt === null ? what : `${what} (undone)`, ...words }
}

function wordsOf(
  { kind, detail, actor, mail }: Pick<TimelineEntry, 'kind' | 'detail' | 'actor' | 'mail'>,
  roster: Roster,
): Omit<TimelineWords, 'notes' | 'attachments'> {
  const by = actor && actorName(actor, roster)
  switch (kind) {
    case 'submission':
      return { what: arrivalWords(detail, by), text: '', by }
    case 'email': {
      const failed = failedDelivery(detail)
      return failed
        ? { what: `email to ${failed.name} not delivered`, text: failed.reason, by }
        : { what: emailInWords(detail, mail), text: '', by }
    }
    case 'stage':
      return { what: stageWords(detail), text: '', by }
    case 'assigned':
      return { what: `assigned to ${assignedTo(detail, roster)}`, text: '', by }
    case 'labeled':
    case 'unlabeled':
      return { what: labelInWords(detail, kind === 'labeled'), text: '', by }
    case 'attempt': {
      const { outcome, note } = callIn(detail)
      return { what: callWords[outcome], text: note, by }
    }
    case 'callback': {
      const { head, words } = linesOf(detail)
      return { what: `callback promised for ${head}`, text: words, by }
    }
    case 'callback-ended': {
      const { head, words } = linesOf(detail)
      return { what: `callback ${head}`, text: words, by }
    }
    case 'unmerged':
      return { what: separatedWords(detail), text: '', by }
    case 'undone':
      return { what: undoneWords(detail, roster), text: '', by }
    default:
      return {
        what: eventWords[kind] + mailFrom(mail) + mailAddress(mail) + (mail?.unproven ? ' (not verified)' : ''),
        text: mailText(detail, mail),
        by,
      }
  }
}

/** The first line of a detail, and what someone wrote below it. */
function linesOf(detail: string): { head: string; words: string } {
  const [head = '', ...words] = detail.split('\n')
  return { head, words: words.join('\n') }
}

function arrivalWords(detail: string, by: string | null): string {
  if (detail === IMPORTED) return 'imported from a list'
  if (isCorrection(detail)) return 'corrected what they sent'
  return isCompleted(detail) ? 'answered the rest of the form' : by === null ? 'wrote in' : 'entered by hand'
}

const mailFrom = (mail: MailFacts | null | undefined): string => (mail?.from === undefined ? '' : ` from ${mail.from}`)

const mailAddress = (mail: MailFacts | null | undefined): string =>
  mail?.address === undefined ? '' : ` (${mail.address})`

function mailText(detail: string, mail: MailFacts | null | undefined): string {
  return [
    ...(mail?.subject === undefined ? [] : [`Subject: ${mail.subject}`]),
    ...(detail === '' ? [] : [detail]),
  ].join('\n\n')
}

/** The name for the id in the detail, and the reason if there is one. */
const assignedTo = (detail: string, roster: Roster): string =>
  ownerName(ownerIn(detail), roster) + detail.replace(/^[^:]*/, '')

/** The kind of what was undone, and the state before: `assigned: maria`, `stage: new`, `attempt: busy`. */
function undoneWords(detail: string, roster: Roster): string {
  const [kind, rest = ''] = detail.split(': ')
  if (kind === 'corrected') return 'undone: contact data as before'
  if (kind === 'assigned') return `undone: assigned to ${assignedTo(rest, roster)} again`
  if (kind === 'withdrawn') return 'undone: they still agree to calls and texts'
  if (kind === 'stage') return `undone: ${stageName(rest)} again`
  return `undone: ${callWords[callIn(rest).outcome]}`
}

/** The detail is a stage, such as `contacted`; or it includes a reason: `closed: no reply`. */
function stageWords(detail: string): string {
  if (detail === 'contacted') return stageName(detail)
  const [, reason] = /^closed: (.*)$/.exec(detail) ?? []
  if (reason !== undefined) return `closed: ${reasonName(reason)}`
  return detail.startsWith('closed') ? detail : `moved to ${detail}`
}

function separatedWords(detail: string): string {
  const other = otherLeadIn(detail)
  if (other !== undefined) return `unmerged from lead ${other.id} (${other.who})`
  // Its person was erased.
  return detail === '' ? 'unmerged: two leads again' : `unmerged from ${detail.toLowerCase()}`
}

/** An email of ours. Older entries do not say who was notified: it was the team. */
function emailInWords(detail: string, mail: MailFacts | null | undefined): string {
  if (detail === 'notify') return `${mail?.to ?? 'the team'} notified`
  return emailWords[detail] ?? `${detail} sent`
}

const emailWords: Record<string, string> = { receipt: 'receipt sent', account: 'account notice sent' }

const eventWords: Record<
  Exclude<
    TimelineKind,
    | 'submission'
    | 'email'
    | 'stage'
    | 'assigned'
    | 'attempt'
    | 'unmerged'
    | 'undone'
    | 'labeled'
    | 'unlabeled'
    | 'callback'
    | 'callback-ended'
  >,
  string
> = {
  note: 'note',
  paused: 'follow-up paused',
  resumed: 'follow-up resumed',
  'fresh-link': 'asked for a fresh link',
  reply: 'replied',
  'auto-reply': 'sent an automatic reply',
  bounce: 'email bounced',
  complaint: 'reported an email as spam',
  unsubscribed: 'unsubscribed',
  'not-me': 'said that it was not them',
  closing: 'will be closed soon: no one has tried to reach them',
  message: 'wrote to them',
  'no-answer-needed': 'no answer needed',
  skipped: 'skipped a step',
  corrected: 'contact data corrected',
  withdrawn: 'took back the agreement to calls and texts',
  merged: 'merged with another lead of the same person',
  copy: 'wrote to them',
  claim: 'an email claims to be',
  'staff-mail': 'wrote to us about them',
}
