/** What each file in `messages/` defines about its message. */
import type { Settings } from '../config/settings.ts'
import type { EmailAddress } from '../leads/body/email.ts'
import type { AddressedLead, Lead } from '../leads/lead/lead.ts'
import type { Links } from '../signed-links.ts'
import type { Mailbox, Message } from './transport/message.ts'

/** Someone at the school, or a team. */
export type StaffMember = { name: string; address: EmailAddress }

/** An email to the staff. The view contains what differs each time. */
export type StaffMessage<V extends ToStaff = ToStaff> = {
  /** Its file under the content folders. */
  template: string
  /** The variables that the template can show (`content/README.md`). One without a value is null, never missing. */
  variables(view: V, context: SchoolContext): object
  /** Samples with invented people: with every value, with almost none, and one for each case of the template. */
  samples(): V[]
  /** The counselors that the samples name. Default: those of the settings. */
  sampleCounselors?: Settings['admissions']['counselors']
  /** What the email has besides its text, such as headers. */
  more?(view: V): Partial<Content>
}

export type ToStaff = { to: StaffMember }

/** A message whose template is named by a step of the cadence. */
export type OfStep<M extends { template: string }> = Omit<M, 'template'>

/** An email to the person of a lead, in their language. */
export type PersonMessage<V extends PersonView = PersonView> = {
  /** Its file under the content folders; for other languages, in folders such as `es/` there. */
  template: string
  variables(view: V, context: SchoolContext, language: string): object
  samples(settings: Settings): V[]
  more(view: V, context: SchoolContext): Partial<Content>
  /** Whether many of these messages go out in a rush and differ only in their links (docs/decisions/0043). */
  linksAfterward?: true
}

export type PersonView = {
  lead: AddressedLead
  now: number
  counselor: StaffMember | undefined
  /** The mailbox for replies; undefined if they go to the sender address, which is then watched. */
  replyTo: Mailbox | undefined
}

/** What all messages of this school have in common. */
export type SchoolContext = {
  settings: Settings
  learnUrl: string
  consoleUrl: string
  /** The mailbox that may be watched. */
  mailFrom: string
  /** When the school will have called someone who writes now, at the latest; undefined if no one is reminded. */
  calledBy(lead: Lead, now: number): number | undefined
  links: Links
  moment: (time: number) => string
  /** A moment in few words, as seen from `now`. */
  shortMoment: (time: number, now: number) => string
}

/** A message without its sender, thread, date and Message-ID. */
export type Content = Omit<Message, 'id' | 'from' | 'date' | 'thread'> & {
  /** The line that mail programs show beside the subject. */
  preheader?: string
  lead?: Pick<Lead, 'id' | 'createdAt'>
  signedBy?: string
  /** The other tasks that it covers. */
  gathered?: readonly number[]
}
