/**
 * What the templates get to see: every variable of each message, in words and links made for
 * people. A variable that has nothing to say is null, never absent. `content/README.md` lists them.
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
import { answersInWords } from '../leads/ranked-answers.ts'
import type { Submission } from '../leads/submission.ts'
import type { Links } from '../signed-links.ts'
import { MINUTE } from '../time.ts'
import type { Mailbox } from './message.ts'

export type Staff = { name: string; address: EmailAddress }

export type LeadView = {
  lead: Lead
  submission: Submission
  /** What screening noticed, in sentences. */
  notes: string[]
  /** How many submissions this lead sent before this one. */
  earlier: number
  now: number
  /** Whom it goes to: a counselor, the manager, or the team's mailbox. */
  to: Staff
  /** The counselor's id if it goes to one; links act in their name. */
  actor: string | undefined
  /** Name of the counselor who owns the lead, null while the team does. */
  owner: string | null
}

/** A step of the cadence to somebody of the staff. */
export type ReminderView = LeadView & {
  role: 'counselor' | 'backup' | 'manager' | 'team'
  /** Milliseconds since the person wrote in. */
  waiting: number
  /** How often somebody of the school has tried to reach them so far. */
  attempts: number
  /** Why no letters go to the address. */
  suppressed: SuppressionReason | null
}

/** Something happened to a lead that its counselor should know. */
export type NewsView = LeadView & {
  event: {
    kind: 'reply' | 'bounce' | 'complaint' | 'not-me' | 'unsubscribed'
    /** What somebody, or a mail server, wrote; may be empty. */
    text: string
    at: number
  }
}

/** A letter to the person. */
export type LetterView = {
  lead: Lead
  now: number
  counselor: Staff | undefined
  /** The mailbox that takes replies; undefined: they go to the sender address, which is watched. */
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
  /** As people write it. */
  date: string
  now: number
}

/** What all messages of this school have in common. */
export type SchoolContext = {
  settings: Settings
  learnUrl: string
  links: Links
  moment: (time: number) => string
}

/** How much of a message is shown where it is there to remind or decide, not to be read in full. */
const EXCERPT = 280

/** How much of a reply is shown; its end is mostly our own letter, quoted. */
const REPLY = 4000

/** From this age on, a notification says that it comes late. */
const LATE = 30 * MINUTE

export function siteVariables(
  view: LeadView,
  submission: Submission<'site'>,
  place: SchoolContext,
) {
  const { company, address, message } = submission.body
  const { lead } = view
  return {
    ...leadVariables(view, submission, place),
    company,
    address,
    map_url: mapLink(address),
    message: message || null,
    on_file: onFile(view, ['Company', lead.company, company]),
  }
}

export function studentVariables(
  view: LeadView,
  submission: Submission<'student'>,
  place: SchoolContext,
) {
  const { state, timeline, message } = submission.body
  return {
    ...leadVariables(view, submission, place),
    headline: [state, timeline?.text].filter(Boolean).join(', ') || null,
    answers: answersInWords(submission.body, place.settings.studentInterest.answers),
    message: message || null,
    on_file: onFile(view),
  }
}

export function reminderVariables(view: ReminderView, place: SchoolContext) {
  const { submission, role, waiting, attempts, suppressed } = view
  const { repliedAt } = view.lead
  return {
    ...leadVariables(view, submission, place),
    company: companyOf(submission),
    message: shorten(submission.body.message ?? '', EXCERPT) || null,
    role,
    waiting: durationInWords(waiting),
    attempts,
    replied: repliedAt === null ? null : place.moment(repliedAt),
    suppressed,
  }
}

export function newsVariables(view: NewsView, place: SchoolContext) {
  const { submission, event } = view
  return {
    ...leadVariables(view, submission, place),
    company: companyOf(submission),
    event: {
      kind: event.kind,
      text: shorten(event.text.trim(), REPLY) || null,
      at: place.moment(event.at),
    },
  }
}

/** Nothing that the submitter wrote: anybody can type anybody's address. */
export function receiptVariables({ lead, counselor }: LetterView, place: SchoolContext) {
  return {
    school: schoolVariables(place.settings.school),
    counselor: counselor?.name ?? null,
    learn_url: place.learnUrl,
    unsubscribe_url: place.links.student('unsubscribe', lead.id, lead.createdAt),
    not_me_url: place.links.student('not-me', lead.id, lead.createdAt),
  }
}

export const letterVariables = (view: LetterView, place: SchoolContext) => ({
  ...receiptVariables(view, place),
  greeting: greeting(view.lead.firstName),
})

/**
 * The name to greet somebody by: the first word of the first name, where it can be nothing but a
 * name. Nobody can send words of their own through our letters with it.
 */
function greeting(firstName: string): string | null {
  const [word = ''] = firstName.trim().split(/\s/)
  return /^\p{L}[\p{L}\p{M}'’-]{1,19}$/u.test(word) ? word : null
}

export function digestVariables({ held, more, date, now }: DigestView, place: SchoolContext) {
  const { settings, links, moment } = place
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
      message: shorten(submission.body.message ?? '', EXCERPT) || null,
      honeypot: reason === 'honeypot',
      notes,
      held: moment(heldAt),
      release_url: links.staff('release', submission.id, undefined, now),
      dismiss_url: links.staff('dismiss', submission.id, undefined, now),
    })),
  }
}

function leadVariables(view: LeadView, submission: Submission, place: SchoolContext) {
  const { settings, learnUrl, moment } = place
  const age = view.now - submission.receivedAt
  return {
    school: schoolVariables(settings.school),
    person: personVariables(submission, settings),
    again: view.earlier > 0,
    earlier: view.earlier,
    notes: view.notes,
    received: moment(submission.receivedAt),
    late: age >= LATE ? durationInWords(age) : null,
    owner: isOwner(view) ? null : view.owner,
    account: view.lead.account,
    learn_url: learnUrl,
    ...actionVariables(view, place),
  }
}

/** What can be done about a lead with one click, in the name of whom the message goes to. */
function actionVariables(view: LeadView, { links, settings }: SchoolContext) {
  const { lead, actor, now } = view
  const { counselors } = settings.admissions
  const assignable = lead.kind === 'student' && counselors.length > 0 && !isOwner(view)
  return {
    contacted_url: links.staff('contacted', lead.id, actor, now),
    attempted_url: links.staff('attempted', lead.id, actor, now),
    assign_url: assignable ? links.staff('assign', lead.id, actor, now) : null,
    not_a_lead_url: links.staff('not-a-lead', lead.id, actor, now),
    lead_url: links.staff('open', lead.id, actor, now),
  }
}

const isOwner = ({ lead, actor }: LeadView): boolean => actor !== undefined && lead.owner === actor

const companyOf = (submission: Submission): string | null =>
  submission.kind === 'site' ? submission.body.company : null

function personVariables({ body }: Submission, { school }: Settings) {
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

type OnFile = [what: string, before: string | null, now: string]

/**
 * What the lead said before and says differently now. Contact data on file is never overwritten by
 * a form that anybody can fill in, so the team has to compare.
 */
function onFile({ lead, submission, earlier }: LeadView, ...more: OnFile[]): string[] {
  if (earlier === 0) return []
  const { firstName, lastName, phone } = submission.body
  const facts: OnFile[] = [
    ['Name', `${lead.firstName} ${lead.lastName}`, `${firstName} ${lastName}`],
    ['Phone', lead.phone, phoneDigits(phone) === phoneDigits(lead.phone) ? lead.phone : phone],
    ...more,
  ]
  return facts
    .filter(([, before, now]) => before && before !== now)
    .map(([what, was]) => `${what}: ${was}`)
}
