/** The variables of reminders, and of messages about what else happened to a lead. */
import { durationInWords } from '../../content/date-format.ts'
import { shorten } from '../../content/one-line.ts'
import type { SuppressionReason } from '../../follow-up/stop-conditions.ts'
import { emailKey } from '../../leads/body/email.ts'
import { fileInWords } from '../../leads/lead/attached-file.ts'
import type { EmailEventKind, MailFacts } from '../../leads/lead/timeline.ts'
import { type LeadView, leadVariables } from './lead.ts'
import type { SchoolContext } from './school-context.ts'

/** A step of the cadence that goes to the staff. */
export type ReminderView = LeadView & {
  role: 'counselor' | 'backup' | 'manager' | 'team'
  /** Milliseconds since the person wrote in. */
  waiting: number
  /** How many call attempts the school has made so far. */
  attempts: number
  /** Whether someone at the school has tried to reach them, in whichever way. */
  tried: boolean
  /** Why the address is suppressed; null if it is not. */
  suppressed: SuppressionReason | null
}

/** Something happened to a lead that its counselor should know. */
export type EventView = LeadView & {
  event: {
    kind:
      | Exclude<EmailEventKind, 'auto-reply' | 'copy'>
      | 'undelivered'
      | 'corrected'
      | 'merged'
      | 'unmerged'
      | 'unsent'
    /** The words of the person or a mail server; may be empty. */
    text: string
    at: number
    /** The member of the staff that a message did not reach. */
    recipient: string | null
    /** More about an email, and the name of the person at the school who sent it. */
    mail?: MailFacts | null | undefined
    by?: string | null | undefined
  }
}

/** How many characters of a message a reminder shows. */
const EXCERPT = 280

/** How many characters of a reply we show; the rest is mostly our own email, quoted. */
const REPLY = 4000

export function reminderVariables(view: ReminderView, context: SchoolContext) {
  const { submission, role, waiting, attempts, tried, suppressed } = view
  const { repliedAt } = view.lead
  return {
    ...writtenTo(leadVariables(view, submission, context), suppressed !== 'not me'),
    // The latest that they wrote.
    message: shorten(view.reply ?? submission.body.message ?? '', EXCERPT) || null,
    role,
    waiting: durationInWords(waiting),
    attempts,
    tried,
    replied: repliedAt === null ? null : context.moment(repliedAt),
    suppressed,
  }
}

/** Without the link to write to the person if the email address is not theirs. */
const writtenTo = <V extends { person: object }>(variables: V, theirs: boolean): V =>
  theirs ? variables : { ...variables, person: { ...variables.person, email_url: null } }

const isSameAddress = (one: string, other: string): boolean => emailKey(one) === emailKey(other)

export function eventVariables(view: EventView, context: SchoolContext) {
  const { submission, event } = view
  return {
    ...writtenTo(leadVariables(view, submission, context), event.kind !== 'not-me'),
    event: {
      kind: event.kind,
      text: shorten(event.text.trim(), REPLY) || null,
      subject: event.mail?.subject ?? null,
      from: event.mail?.from ?? null,
      // An email that says that it is from the person themselves, not from the school.
      as_person:
        event.kind === 'claim' && event.mail?.from !== undefined && isSameAddress(event.mail.from, view.lead.email),
      attachments: (event.mail?.attachments ?? []).map(fileInWords),
      mailbox: context.mailFrom,
      by: event.by ?? null,
      at: context.moment(event.at),
      recipient: event.recipient,
    },
  }
}
