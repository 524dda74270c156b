/** The timeline of a lead: its kinds of entries, and the words in which the staff reads them. */
import type { ConsentState } from './consent.ts'
import { labelInWords } from './labels.ts'
import { signalNote } from './screening.ts'
import { actorName, ownerName, type Roster } from './staff.ts'

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

/** A file that came with an email; its size in bytes, null if it is not known. */
export type AttachedFile = { name: string; size: number | null }

/** What else there is to say about an email; each part only if there is one. */
export type MailFacts = {
  /** The name of the person or team that we notified. */
  to?: string
  /** The sender's address, if it is not the one that we know. */
  from?: string
  /** The address that it is about, if it is that of a lead that was merged into this one. */
  address?: string
  /** The subject, unless it only repeats ours. */
  subject?: string
  attachments?: AttachedFile[]
  /** Anyone may have sent it: it has changed nothing. */
  unproven?: true
  /** Its Message-ID without angle brackets, and its subject, so that we can reply to it. */
  original?: { id: string; subject: string }
  /** For an email that someone at the school wrote: the Message-ID that it replies to. */
  answers?: string
  /** Whether it counts as having reached the person once it is sent. */
  reached?: boolean
  /** Identifies the form that it was sent with, so that pressing the button twice sends it once. */
  token?: string
}

/** Such as `transcript.pdf (120 KB)`. */
export const fileInWords = ({ name, size }: AttachedFile): string =>
  size === null ? name : `${name} (${sizeInWords(size)})`

const sizeInWords = (bytes: number): string =>
  bytes < 1_000_000
    ? `${Math.max(1, Math.round(bytes / 1000))} KB`
    : `${(bytes / 1_000_000).toFixed(1)} MB`

export type TimelineEntry = {
  id: number
  /** Unix time in milliseconds. */
  at: number
  kind: TimelineKind
  submissionId: number | null
  detail: string
  /** Who did it: the id of a counselor, `manager`, or words such as `command line`; null if it was not the staff. */
  actor: string | null
  /** For an email: more about it. */
  mail?: MailFacts | null
  /** What an action changed, as it was before; null if the action cannot be undone. */
  was: Was | null
  /** When the action was undone; null if it was not. */
  undoneAt: number | null
}

/** Columns of a lead before an action changed them. */
export type Was = {
  owner?: string | null
  stage?: string
  closedReason?: string | null
  stageSince?: number | null
  firstAttemptAt?: number | null
  firstContactAt?: number | null
  consent?: ConsentState | null
  consentAt?: number | null
  /** Of a skipped step: its index, and that of the step that took its place. */
  step?: number
  next?: number | null
  email?: string
  phone?: string
  phoneE164?: string | null
  latestPhone?: string | null
  merge?: MergeRecord
  /** The id of the label that was given or taken off. */
  label?: number
}

/** What merging another lead into one has changed, to take it back exactly. */
export type MergeRecord = {
  /** The other lead, and where it stood. */
  lead: number
  stage: string
  closedReason: string | null
  /** The columns of the lead that changed: as they were, and as they were then. */
  before: Columns
  after: Columns
  /** The steps of its follow-up that began again, in the same way. */
  stepsBefore: Columns[]
  stepsAfter: Columns[]
  /** The tasks of automatic emails to the other address that were not sent. */
  unsent: number[]
  /** The ids of the labels that it took from the other. */
  labels: number[]
}

type Columns = Record<string, string | number | null>

export type TimelineWords = {
  /** Such as `moved to qualified`. */
  what: string
  /** The words of the staff, the person or a mail server, of any length; usually empty. */
  text: string
  /** The name of the staff member who did it; null if it was not the staff. */
  by: string | null
}

/** One entry of a timeline in words. */
export function timelineWords(
  entry: Pick<TimelineEntry, 'kind' | 'detail' | 'actor' | 'undoneAt' | 'mail'>,
  roster: Roster,
): TimelineWords {
  const { what, ...words } = wordsOf(entry, roster)
  if (entry.kind === 'message' && entry.undoneAt !== null)
    return { what: 'email to them canceled', ...words }
  return { what: entry.undoneAt === null ? what : `${what} (undone)`, ...words }
}

function wordsOf(
  { kind, detail, actor, mail }: Pick<TimelineEntry, 'kind' | 'detail' | 'actor' | 'mail'>,
  roster: Roster,
): TimelineWords {
  const by = actor && actorName(actor, roster)
  switch (kind) {
    case 'submission':
      return {
        what: detail === IMPORTED ? 'imported from a list' : arrived(by) + notesOf(detail),
        text: '',
        by,
      }
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
    case 'undone':
      return { what: undoneWords(detail, roster), text: '', by }
    default:
      return {
        what:
          eventWords[kind] +
          mailFrom(mail) +
          mailAddress(mail) +
          (mail?.unproven ? ' (not verified)' : ''),
        text: mailText(detail, mail),
        by,
      }
  }
}

const arrived = (by: string | null): string => (by === null ? 'wrote in' : 'entered by hand')

const mailFrom = (mail: MailFacts | null | undefined): string =>
  mail?.from === undefined ? '' : ` from ${mail.from}`

const mailAddress = (mail: MailFacts | null | undefined): string =>
  mail?.address === undefined ? '' : ` (${mail.address})`

function mailText(detail: string, mail: MailFacts | null | undefined): string {
  const files = mail?.attachments ?? []
  return [
    ...(mail?.subject === undefined ? [] : [`Subject: ${mail.subject}`]),
    ...(detail === '' ? [] : [detail]),
    ...(files.length === 0 ? [] : [`In the mailbox: ${files.map(fileInWords).join(', ')}`]),
  ].join('\n\n')
}

/** The name for the id, and the reason if there is one. */
const assignedTo = (detail: string, roster: Roster): string =>
  ownerName(ownerIn(detail), roster) + detail.replace(/^[^:]*/, '')

/** Of what was undone, its kind, and how things are again: `assigned: maria`, `stage: new`, `attempt: `, `withdrawn: `. */
function undoneWords(detail: string, roster: Roster): string {
  const [kind, rest = ''] = detail.split(': ')
  if (kind === 'corrected') return 'undone: contact data as before'
  if (kind === 'assigned') return `undone: assigned to ${assignedTo(rest, roster)} again`
  if (kind === 'withdrawn') return 'undone: they still agree to calls and texts'
  return kind === 'stage' ? `undone: ${rest} again` : 'undone: no answer'
}

/** In an entry about an assignment, this stands for an id where the team has the lead. */
export const THE_TEAM = 'the team'

/** Who got the lead, by the detail of an entry about an assignment, done or undone: an id, or null for the team. */
export function ownerIn(detail: string): string | null {
  const [owner = ''] = detail.replace(/^assigned: /, '').split(':')
  return owner === THE_TEAM ? null : owner
}

/** From `contacted`, or with a reason `closed: no reply`. */
function stageWords(detail: string): string {
  if (detail === 'contacted') return 'reached'
  return detail.startsWith('closed') ? detail : `moved to ${detail}`
}

/** A message to the staff that did not arrive, and a sentence that says why. */
export type FailedDelivery = { name: string; address: string; reason: string }

/** The detail of an entry of the kind `email` about a message that did not arrive. */
export const failedDeliveryDetail = ({ name, address, reason }: FailedDelivery): string =>
  `not delivered to ${name} <${address}>: ${reason}`

/** Reads such a detail; undefined for one of a message that was sent. */
export function failedDelivery(detail: string): FailedDelivery | undefined {
  const [, name = '', address = '', reason] =
    /^not delivered to ([^<>]*) <([^<> ]+)>: (.*)$/s.exec(detail) ?? []
  return reason === undefined ? undefined : { name, address, reason }
}

function notesOf(detail: string): string {
  const signals = signalsIn(detail)
  return signals.length === 0 ? '' : `: ${signals.map(signalNote).join(' ')}`
}

/** In place of screening signals, the detail of an inquiry that came with an imported list. */
export const IMPORTED = 'imported'

/** The screening signals in the detail of an inquiry. */
export const signalsIn = (detail: string): string[] =>
  detail === '' || detail === IMPORTED ? [] : detail.split(',')

/** An email of ours; before we recorded whom we notified, it is the team. */
function emailInWords(detail: string, mail: MailFacts | null | undefined): string {
  if (detail === 'notify') return `${mail?.to ?? 'the team'} notified`
  return emailWords[detail] ?? `${detail} sent`
}

const emailWords: Record<string, string> = {
  receipt: 'receipt sent',
  account: 'account notice sent',
}

const eventWords: Record<
  Exclude<
    TimelineKind,
    'submission' | 'email' | 'stage' | 'assigned' | 'undone' | 'labeled' | 'unlabeled'
  >,
  string
> = {
  attempt: 'no answer',
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
  skipped: 'skipped a step',
  corrected: 'contact data corrected',
  withdrawn: 'took back the agreement to calls and texts',
  merged: 'merged with another lead of the same person',
  unmerged: 'separated again',
  copy: 'wrote to them',
  claim: 'an email claims to be',
  'staff-mail': 'wrote to us about them',
}
