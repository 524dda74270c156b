/** The messages that the service sends, and what each needs to be rendered. */
import type { EmailAddress } from '../leads/body/email.ts'
import type { Kind } from '../leads/body/submission.ts'
import type { Lead } from '../leads/lead/lead.ts'
import type { Rendered } from './message-templates.ts'
import type { Message } from './transport/message.ts'
import type { DailyView } from './variables/daily.ts'
import type { DigestView } from './variables/digest.ts'
import type { ErasureView } from './variables/erasure.ts'
import type { ForwardedView } from './variables/forwarded.ts'
import type { GatheredView } from './variables/gathered.ts'
import type { LeadsHandOverView } from './variables/hand-over.ts'
import type { ImportedView } from './variables/imported.ts'
import type { LeadView } from './variables/lead.ts'
import type { LeadChangeView } from './variables/lead-change.ts'
import type { LetterView, WrittenView } from './variables/letter.ts'
import type { OperatorView } from './variables/operator.ts'
import type { EventView, ReminderView } from './variables/reminder.ts'
import type { ReportView } from './variables/report.ts'
import type { RetentionView } from './variables/retention.ts'
import type { UnattendedView } from './variables/unattended.ts'

export type { DigestView } from './variables/digest.ts'
export type { LeadView } from './variables/lead.ts'
export type { LeadChangeView } from './variables/lead-change.ts'
export type { LetterView, WrittenView } from './variables/letter.ts'
export type { EventView, ReminderView } from './variables/reminder.ts'
export type { StaffMember as Staff } from './variables/school-context.ts'

/** A message without its sender, thread, date and Message-ID. */
export type Content = Omit<Message, 'id' | 'from' | 'date' | 'thread'> & {
  /** The lead that it is about. */
  lead?: Pick<Lead, 'id' | 'createdAt'>
  /** The counselor who signs it. */
  signedBy?: string
  /** The other tasks that it stands for. */
  gathered?: readonly number[]
}

export type Messages = {
  /** Notifies the staff of a site submission. Replies go to the person. */
  siteNotification(view: LeadView): Promise<Content>
  /** Notifies the staff of a student submission. Replies go to the person. */
  studentNotification(view: LeadView): Promise<Content>
  /**
   * Reminds the staff that a person is still waiting. Replies go to the person, unless their address is
   * suppressed.
   *
   * `template` is a path under the content folders. Rejects with an Error that names it if it is
   * missing or broken.
   */
  reminder(template: string, view: ReminderView): Promise<Content>
  /** Tells the counselor what happened to a lead. If that was a reply, replies go to the person. */
  event(view: EventView): Promise<Content>
  /** Tells the person who now has a lead, or stands in for them, that it was assigned. Replies go to the person. */
  assigned(view: LeadChangeView): Promise<Content>
  /** Tells the person who had a lead that someone else has it now. */
  reassigned(view: LeadChangeView): Promise<Content>
  /** Tells someone of all leads of a colleague that were handed over at once. */
  leadsHandedOver(view: LeadsHandOverView): Promise<Content>
  /** Sends someone fresh links, after theirs have expired. Replies go to the person. */
  freshLink(view: LeadChangeView): Promise<Content>
  /** Reminds the counselor, after a pause, to call the person again. Replies go to the person. */
  callAgain(view: LeadChangeView): Promise<Content>
  /** A follow-up email of the cadence to the person; `template` as for a reminder. */
  letter(template: string, view: LetterView): Promise<Content>
  /**
   * Tells the student that the inquiry arrived. Anyone can type anyone's address, so the email contains
   * nothing that the sender wrote: no one can send their own words through it.
   */
  receipt(view: LetterView): Promise<Content>
  /** An email that someone at the school wrote to the person, in the thread of their last one. */
  written(view: WrittenView): Promise<Content>
  /** Tells the owner of a mailbox that they already have an account; says no more than the receipt. */
  accountNotice(view: LetterView): Promise<Content>
  /** Tells a team of many inquiries at once. */
  gatheredNotification(view: GatheredView): Promise<Content>
  /** Tells an owner that a list with leads of theirs was imported. */
  importedLeads(view: ImportedView): Promise<Content>
  /** Tells a team what was quarantined, and how to release it. */
  quarantineDigest(view: DigestView): Promise<Content>
  /** Forwards mail from people who are not leads. Replies to a single one go to its sender. */
  forwardedMail(view: ForwardedView): Promise<Content>
  /** Tells the manager, or a team, which leads no one looks after. */
  unattendedLeads(view: UnattendedView): Promise<Content>
  /** Tells an operator of everything for which they want one email a day. */
  dailyDigest(view: DailyView): Promise<Content>
  /** Tells the manager, or the team, what the last week brought. */
  weeklyReport(view: ReportView): Promise<Content>
  /** Invites someone to the console. */
  invitation(view: OperatorView): Promise<Content>
  /** Lets an operator choose a new password. */
  passwordReset(view: OperatorView): Promise<Content>
  /** Asks an operator to confirm an erasure, or tells the one who asked for it how it ended. */
  erasure(view: ErasureView): Promise<Content>
  /** Tells the manager which leads the retention rules will erase. */
  retention(view: RetentionView): Promise<Content>
  /** Shows that mail arrives. */
  testMessage(to: EmailAddress): Promise<Content>
  /** Every message, by the name of its file, as it looks with each of its samples. */
  samples(): { file: string; renderings: Rendered[] }[]
  /** Loads what the messages about a submission need, in pieces, once. Never rejects. */
  prepare(): Promise<void>
  /**
   * The message of a step to an invented person, or about one, in a language of the school. Throws an Error
   * that names the file if it is missing or broken, or lacks what a follow-up email must show by law.
   */
  sampleOfStep(template: string, of: { kind: Kind; language: string }): Content
  /** The content as a message from this school. Give it the same envelope on every attempt. */
  asMessage(content: Content, envelope: Pick<Message, 'id' | 'mark' | 'date' | 'thread'>): Message
}
