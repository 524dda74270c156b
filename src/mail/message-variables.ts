/**
 * The variables of each message that templates can use, in words and links for people. A variable
 * without a value is null, never missing. `content/README.md` lists them.
 */

import type { Settings } from '../config/settings.ts'
import { mailtoLink, mapLink, telLink } from '../content/contact-links.ts'
import { durationInWords } from '../content/date-format.ts'
import { shorten } from '../content/one-line.ts'
import { schoolVariables } from '../content/school-variables.ts'
import type { SuppressionReason } from '../follow-up/stop-conditions.ts'
import { type EmailAddress, isPlainMailbox } from '../leads/email.ts'
import type { Lead } from '../leads/lead.ts'
import { phoneDigits } from '../leads/phone.ts'
import { answersInWords, timelineInWords, warmthOf } from '../leads/ranked-answers.ts'
import { stateName } from '../leads/states.ts'
import type { Submission } from '../leads/submission.ts'
import { fileInWords, type MailFacts } from '../leads/timeline.ts'
import { MINUTE } from '../platform/time.ts'
import type { Links } from '../signed-links.ts'
import type { Mailbox } from './message.ts'

/** Someone at the school, or a team. */
export type StaffMember = { name: string; address: EmailAddress }

export type LeadView = {
  lead: Lead
  submission: Submission
  /** The findings of screening, in sentences. */
  notes: string[]
  /** How many submissions this lead sent before this one. */
  earlier: number
  /** What they wrote back since then. */
  reply?: string | undefined
  now: number
  /** The recipient: a counselor, the manager, or the team's mailbox. */
  to: StaffMember
  /** The counselor's id, or `manager`; links then act in their name. Undefined for a team. */
  actor: string | undefined
  /** The name of the person who has the lead; null while the team has it. */
  owner: string | null
}

/** A step of the cadence that goes to the staff. */
export type ReminderView = LeadView & {
  role: 'counselor' | 'backup' | 'manager' | 'team'
  /** Milliseconds since the person wrote in. */
  waiting: number
  /** How many call attempts the school has made so far. */
  attempts: number
  /** Why the address is suppressed; null if it is not. */
  suppressed: SuppressionReason | null
}

/** Something happened to a lead that its counselor should know. */
export type EventView = LeadView & {
  event: {
    kind:
      | 'reply'
      | 'bounce'
      | 'complaint'
      | 'not-me'
      | 'unsubscribed'
      | 'undelivered'
      | 'claim'
      | 'staff-mail'
    /** The words of the person or a mail server; may be empty. */
    text: string
    at: number
    /** The member of the staff whom a message did not reach. */
    recipient: string | null
    /** More about an email, and the name of the person at the school who sent it. */
    mail?: MailFacts | null | undefined
    by?: string | null | undefined
  }
}

/** A follow-up email to the person. */
export type LetterView = {
  lead: Lead
  now: number
  counselor: StaffMember | undefined
  /** The mailbox for replies; undefined if they go to the sender address, which is then watched. */
  replyTo: Mailbox | undefined
}

export type DigestView = {
  held: {
    submission: Submission<'site'>
    reason: 'honeypot' | 'screening'
    notes: string[]
    heldAt: number
  }[]
  /** How many further entries there are. */
  more: number
  /** In words. */
  date: string
  now: number
}

/** The context that all messages of this school share. */
export type SchoolContext = {
  settings: Settings
  learnUrl: string
  /** The mailbox that may be watched. */
  mailFrom: string
  links: Links
  moment: (time: number) => string
  /** A moment in few words, as seen from `now`. */
  shortMoment: (time: number, now: number) => string
}

/** How many characters of a message we show as a reminder or for a decision. */
const EXCERPT = 280

/** In the digest, which lists many. */
const DIGEST_EXCERPT = 140

/** How many characters of a reply we show; the rest is mostly our own email, quoted. */
const REPLY = 4000

/** From this age on, a notification says that it is late. */
const LATE = 30 * MINUTE

export function siteVariables(
  view: LeadView,
  submission: Submission<'site'>,
  context: SchoolContext,
) {
  const { company, message } = submission.body
  const { lead } = view
  return {
    ...leadVariables(view, submission, context),
    message: message || null,
    on_file: changedSince(view, ['Company', lead.company, company]),
  }
}

export function studentVariables(
  view: LeadView,
  submission: Submission<'student'>,
  context: SchoolContext,
) {
  const { message } = submission.body
  return {
    ...leadVariables(view, submission, context),
    message: message || null,
    on_file: changedSince(view),
  }
}

export function reminderVariables(view: ReminderView, context: SchoolContext) {
  const { submission, role, waiting, attempts, suppressed } = view
  const { repliedAt } = view.lead
  return {
    ...writtenTo(leadVariables(view, submission, context), suppressed !== 'not me'),
    // The latest that they wrote.
    message: shorten(view.reply ?? submission.body.message ?? '', EXCERPT) || null,
    role,
    waiting: durationInWords(waiting),
    attempts,
    replied: repliedAt === null ? null : context.moment(repliedAt),
    suppressed,
  }
}

/** Without the link to write to the person if the email address is not theirs. */
const writtenTo = <V extends { person: object }>(variables: V, theirs: boolean): V =>
  theirs ? variables : { ...variables, person: { ...variables.person, email_url: null } }

export function eventVariables(view: EventView, context: SchoolContext) {
  const { submission, event } = view
  return {
    ...writtenTo(leadVariables(view, submission, context), event.kind !== 'not-me'),
    event: {
      kind: event.kind,
      text: shorten(event.text.trim(), REPLY) || null,
      subject: event.mail?.subject ?? null,
      from: event.mail?.from ?? null,
      attachments: (event.mail?.attachments ?? []).map(fileInWords),
      mailbox: context.mailFrom,
      by: event.by ?? null,
      at: context.moment(event.at),
      recipient: event.recipient,
    },
  }
}

/** Contains nothing that the sender wrote: anyone can type anyone's address. */
export function receiptVariables({ lead, counselor }: LetterView, context: SchoolContext) {
  return {
    school: schoolVariables(context.settings.school),
    programs: context.settings.programs.map(({ name, cost, starts, hours }) => ({
      name,
      cost: cost ?? null,
      starts: starts ?? null,
      hours: hours ?? null,
    })),
    counselor: counselor?.name ?? null,
    learn_url: context.learnUrl,
    unsubscribe_url: context.links.student('unsubscribe', lead.id, lead.createdAt),
    not_me_url: context.links.student('not-me', lead.id, lead.createdAt),
  }
}

export const letterVariables = (view: LetterView, context: SchoolContext) => ({
  ...receiptVariables(view, context),
  greeting: greeting(view.lead.firstName),
})

/**
 * The name for the greeting: the first word of the first name, if it can only be a name. That way, no
 * one can send their own words through our emails.
 */
function greeting(firstName: string): string | null {
  const [word = ''] = firstName.trim().split(/\s/)
  return /^\p{L}[\p{L}\p{M}'’-]{1,19}$/u.test(word) ? word : null
}

export function digestVariables({ held, more, date, now }: DigestView, context: SchoolContext) {
  const { settings, links, shortMoment } = context
  return {
    school: schoolVariables(settings.school),
    date,
    count: held.length + more,
    more,
    days: settings.quarantine.days,
    entries: held.map(({ submission, reason, notes, heldAt }) => ({
      id: submission.id,
      person: personVariables(submission, settings),
      company: submission.body.company,
      message: shorten(submission.body.message ?? '', DIGEST_EXCERPT) || null,
      honeypot: reason === 'honeypot',
      notes,
      held: shortMoment(heldAt, now),
      release_url: links.staff('release', submission.id, undefined, now),
      dismiss_url: links.staff('dismiss', submission.id, undefined, now),
    })),
  }
}

function leadVariables(view: LeadView, submission: Submission, context: SchoolContext) {
  const { settings, learnUrl, moment } = context
  const age = view.now - submission.receivedAt
  return {
    school: schoolVariables(settings.school),
    person: personVariables(submission, settings),
    ...inquiryVariables(submission, settings),
    again: view.earlier > 0,
    earlier: view.earlier,
    notes: view.notes,
    received: moment(submission.receivedAt),
    late: age >= LATE ? durationInWords(age) : null,
    owner: isOwner(view) ? null : view.owner,
    account: view.lead.account,
    learn_url: learnUrl,
    ...actionVariables(view, context),
  }
}

/** What the person told us beside their message: for a site, who they are; for a student, the answers. */
function inquiryVariables(submission: Submission, { studentInterest }: Settings) {
  if (submission.kind === 'site') {
    const { company, address } = submission.body
    const line = address.replace(/\s*\n\s*/g, ', ')
    const site = { company, address, address_line: line, map_url: mapLink(address) }
    return { ...site, state: null, timeline: null, warmth: null, answers: [] }
  }
  const { body } = submission
  return {
    company: null,
    address: null,
    address_line: null,
    map_url: null,
    state: body.state ? stateName(body.state, studentInterest.states) : null,
    timeline: timelineInWords(body),
    warmth: warmthOf(body, studentInterest.answers),
    answers: answersInWords(body),
  }
}

/** The links that act on a lead with one click, in the recipient's name. */
export function actionVariables(
  view: Pick<LeadView, 'lead' | 'actor' | 'now'>,
  { links, settings }: SchoolContext,
) {
  const { lead, actor, now } = view
  const { counselors, manager } = settings.admissions
  const assignable = counselors.length > 0 || manager !== undefined
  return {
    contacted_url: links.staff('contacted', lead.id, actor, now),
    assign_to_me: !isOwner(view) && counselors.some(({ id }) => id === actor),
    attempted_url: links.staff('attempted', lead.id, actor, now),
    assign_url: assignable ? links.staff('assign', lead.id, actor, now) : null,
    not_a_lead_url: links.staff('not-a-lead', lead.id, actor, now),
    lead_url: links.staff('open', lead.id, actor, now),
  }
}

const isOwner = ({ lead, actor }: Pick<LeadView, 'lead' | 'actor'>): boolean =>
  actor !== undefined && lead.owner === actor

type PersonFacts = Pick<Lead, 'firstName' | 'lastName' | 'email' | 'phone'>

export function personVariables({ body }: { body: PersonFacts }, { school }: Settings) {
  const { firstName, lastName, email, phone } = body
  return {
    name: `${firstName} ${lastName}`,
    email,
    email_url: mailtoLink(email),
    phone,
    phone_url: telLink(phone, school.country),
    can_reply: isPlainMailbox(email),
  }
}

type Difference = [what: string, before: string | null, now: string]

/**
 * The facts that the lead now states differently than before. A form that anyone can fill in never overwrites
 * contact data, so the team has to compare.
 */
function changedSince({ lead, submission, earlier }: LeadView, ...more: Difference[]): string[] {
  if (earlier === 0) return []
  const { firstName, lastName, phone } = submission.body
  const differences: Difference[] = [
    ['Name', `${lead.firstName} ${lead.lastName}`, `${firstName} ${lastName}`],
    ['Phone', lead.phone, phoneDigits(phone) === phoneDigits(lead.phone) ? lead.phone : phone],
    ...more,
  ]
  return differences
    .filter(([, before, now]) => before && before !== now)
    .map(([what, was]) => `${what}: ${was}`)
}
