/** The messages that the service sends. To add one, write its file in `messages/`, and give it a row here. */
import type { Kind } from '../leads/body/submission.ts'
import type { Content, PersonMessage, PersonView, StaffMessage } from './message-definition.ts'
import type { Rendered } from './message-templates.ts'
import { alarm } from './messages/alarm.ts'
import { callback } from './messages/callback.ts'
import { dailyDigest } from './messages/daily-digest.ts'
import { erasure } from './messages/erasure.ts'
import { event } from './messages/event.ts'
import { forwarded } from './messages/forwarded.ts'
import { gathered } from './messages/gathered.ts'
import { imported } from './messages/imported.ts'
import { siteInterest, studentInterest } from './messages/interest.ts'
import { assigned, freshLink, reassigned } from './messages/lead-change.ts'
import { leadsHandedOver } from './messages/leads-handed-over.ts'
import { accountNotice, receipt } from './messages/letter.ts'
import { invitation, passwordReset } from './messages/operator-link.ts'
import { personal } from './messages/personal.ts'
import { quarantineDigest } from './messages/quarantine-digest.ts'
import type { ReminderView } from './messages/reminder.ts'
import { retention } from './messages/retention.ts'
import { security } from './messages/security.ts'
import { test } from './messages/test.ts'
import { unattended } from './messages/unattended.ts'
import { weeklyReport } from './messages/weekly-report.ts'
import type { Message } from './transport/message.ts'

export type { Content } from './message-definition.ts'

export const staffMessages = {
  siteInterest,
  studentInterest,
  event,
  assigned,
  leadsHandedOver,
  freshLink,
  callback,
  reassigned,
  quarantineDigest,
  forwarded,
  gathered,
  imported,
  unattended,
  dailyDigest,
  weeklyReport,
  invitation,
  passwordReset,
  security,
  retention,
  erasure,
  alarm,
  test,
} satisfies Record<string, StaffMessage>

export const personMessages = { receipt, personal, accountNotice } satisfies Record<string, PersonMessage>

/** Renders each of some messages from its view. */
type Rendering<R> = {
  [K in keyof R]: R[K] extends { samples(settings: never): (infer V)[] } ? (view: V) => Promise<Content> : never
}
export type StaffEmails = Rendering<typeof staffMessages>
export type PersonEmails = Rendering<typeof personMessages>

export type Messages = StaffEmails &
  PersonEmails & {
    /**
     * A reminder of the cadence. `template` is a path under the content folders. Rejects with an Error that names the
     * template if it is missing or broken.
     */
    reminder(template: string, view: ReminderView): Promise<Content>
    /** A follow-up email of the cadence to the person; `template` as for a reminder. */
    letter(template: string, view: PersonView): Promise<Content>
    /** Every message, by the name of its file, rendered with each of its samples. */
    samples(): { file: string; renderings: Rendered[] }[]
    /** The message of the file with that name, such as `es/letters/receipt.md`, about an invented person. */
    sampleOf(name: string): Rendered | undefined
    /** Loads what the messages about a submission need, in pieces, only once. Never rejects. */
    prepare(): Promise<void>
    /**
     * The message of a step, to or about an invented person, in a language of the school. Throws an Error that names
     * the file if it is missing or broken, or lacks what a follow-up email must show by law.
     */
    sampleOfStep(template: string, of: { kind: Kind; language: string }): Content
    /** The content as a message from this school. Every attempt must have the same envelope. */
    asMessage(content: Content, envelope: Pick<Message, 'id' | 'mark' | 'date' | 'thread'>): Message
  }
