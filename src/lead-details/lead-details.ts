/** Everything that the page of a lead shows, in words and links for people. */
import type { Settings } from '../config/settings.ts'
import { addressLine, mailtoLink, mapLink, telLink } from '../content/contact-links.ts'
import { durationInWords } from '../content/date-format.ts'
import { shorten } from '../content/one-line.ts'
import type { Cadence } from '../follow-up/cadence.ts'
import { stepOfEntry } from '../follow-up/sent-steps.ts'
import { formInWords, originOfLead } from '../leads/body/came-from.ts'
import { consentOfInquiry, consentOfLead } from '../leads/body/consent.ts'
import { otherLanguage } from '../leads/body/languages.ts'
import { type GivenPhone, isSameNumber, readablePhone } from '../leads/body/phone.ts'
import { type AnswerInWords, answersInWords } from '../leads/body/ranked-answers.ts'
import type { Kind, Submission } from '../leads/body/submission.ts'
import { capital } from '../leads/body/tidy-text.ts'
import { fullName, type Lead } from '../leads/lead/lead.ts'
import { ownerName } from '../leads/lead/staff.ts'
import { stageInWords } from '../leads/lead/stages.ts'
import type { TimelineEntry } from '../leads/lead/timeline-entries.ts'
import { wholeInquiries } from '../leads/lead/whole-inquiries.ts'
import { timelineWords } from '../leads/words/timeline-words.ts'
import type { Callback } from '../store/leads/callbacks.ts'
import type { LeadHistory } from '../store/lookup/lead-history.ts'
import type { Store } from '../store/store.ts'

/** A field without a value is null, never absent. Dates are in the school's time zone. */
export type LeadDetails = {
  name: string
  kind: Kind
  phone: string | null
  phone_url: string | null
  /** Further numbers from later inquiries, with the day of each: none replaces another. */
  other_phones: { phone: string; url: string; given: string }[]
  email: string | null
  email_url: string | null
  /** The company of a site, the state of a student. */
  from: string | null
  stage: string
  reason: string | null
  stage_words: string
  /** How long they have been waiting; null if they are not. */
  waiting: string | null
  owner: string | null
  /** When they first wrote in. */
  since: string
  /** When the follow-up was paused, and when the pause ends, if it does. */
  paused: string | null
  /** Whether the follow-up continues once the callbacks are done. */
  waits: boolean
  /** The promised calls, the next one first: when, who calls, and about what. */
  callbacks: { at: string; full: string; by: string; words: string; overdue: boolean }[]
  /** When they last replied to an email. */
  replied: string | null
  /** When they wrote what no one has answered yet, and how long ago that is; null if they wait for no answer. */
  wrote_back: { at: string; waiting: string } | null
  account: boolean
  /** Where their first form says that they came from, with the campaign. */
  came_from: string | null
  /** The language in which we write to them; null if it is the school's first. */
  language: string | null
  /** What they last said about calls and texts from the school's systems; null if no form has asked. */
  calls_and_texts: string | null
  /** What happens next if no one does anything, soonest first. */
  next: NextDetails[]
  /** Earlier leads of the same person, newest first. */
  earlier: { id: number; words: string }[]
  /** Newest first. */
  submissions: SubmissionDetails[]
  /** Newest first. */
  timeline: EntryDetails[]
  /** The entry that the next, older page ends before; null if there are no older ones. */
  older: number | null
}

type SubmissionDetails = {
  received: string
  message: string | null
  /** Ranked answers, and facts that differ from the lead; with a URL if there is something to open. */
  facts: (AnswerInWords & { url: string | null })[]
}

/** A moment is in few words; `full` says it with its date. */
type NextDetails = { at: string; full: string; what: string }

/** A step of the follow-up that is still to come: to a person by name, to the student, or the end. */
export type UpcomingStep = { at: number; to: string; message: string | null }

/** `notes` is what screening noticed, `text` is what a person wrote, `attachments` are the files of an email, in words. */
type EntryDetails = {
  at: string
  full: string
  what: string
  notes: string[]
  text: string | null
  by: string | null
  attachments: string[]
}

type Context = {
  settings: Settings
  formatDate: (time: number) => string
  /** A moment in few words, as seen from now. */
  shortDay: (time: number) => string
  now: number
}

type Found = LeadHistory & {
  phones: GivenPhone[]
  callbacks: Callback[]
  steps: UpcomingStep[]
  earlier: Awaited<ReturnType<Store['findEarlierLeads']>>
}

/** People may write very much; the page still has to be readable. */
const TEXT = 4000

export function leadDetails(
  { lead, submissions, timeline, cadence, older, steps, earlier, phones, callbacks }: Found,
  context: Context,
): LeadDetails {
  const { settings, formatDate } = context
  return {
    name: fullName(lead),
    kind: lead.kind,
    phone: lead.phone && readablePhone(lead.phone, settings.school.country),
    phone_url: telLink(lead.phone, settings.school.country),
    other_phones: phones
      .slice(1)
      .map(({ phone, at }) => ({
        phone: readablePhone(phone, settings.school.country),
        url: telLink(phone, settings.school.country),
        given: formatDate(at),
      })),
    email: lead.email,
    email_url: mailtoLink(lead.email),
    from: fromOf(lead),
    stage: lead.stage,
    reason: lead.closedReason,
    stage_words: stageInWords(lead.stage, lead.closedReason),
    waiting: lead.stage === 'new' ? durationInWords(context.now - lead.createdAt) : null,
    owner: lead.owner,
    since: formatDate(lead.createdAt),
    paused: lead.pausedAt === null ? null : formatDate(lead.pausedAt),
    replied: lead.repliedAt === null ? null : formatDate(lead.repliedAt),
    wrote_back:
      lead.unansweredSince === null
        ? null
        : { at: context.shortDay(lead.unansweredSince), waiting: durationInWords(context.now - lead.unansweredSince) },
    waits: waitsForCallback(lead, callbacks),
    callbacks: callbacks.map(({ dueAt, assignee, words }) => ({
      at: context.shortDay(dueAt),
      full: formatDate(dueAt),
      by: ownerName(assignee ?? lead.owner, settings.admissions),
      words,
      overdue: dueAt <= context.now,
    })),
    account: lead.account,
    came_from: originOfLead(lead) || null,
    language: otherLanguage(lead.language, settings.languages),
    calls_and_texts: consentOfLead(lead, formatDate),
    next: isUnderWay(lead, callbacks) ? nextSteps(lead, steps, context) : [],
    earlier: earlier.map(({ id, stage, closedReason, createdAt }) => ({
      id,
      words: `lead ${id}, ${stageInWords(stage, closedReason).toLowerCase()}, first wrote ${context.shortDay(createdAt)}`,
    })),
    submissions: wholeInquiries(submissions.toReversed(), one => one).map(submission =>
      submissionDetails(submission, lead, context),
    ),
    timeline: timeline.toReversed().map(entry => entryDetails(entry, lead, cadence, context)),
    older,
  }
}

function submissionDetails(submission: Submission, lead: Lead, { settings, formatDate }: Context): SubmissionDetails {
  const { body } = submission
  const { country } = settings.school
  const phone = body.phone ?? ''
  const samePhone = phone === '' || (lead.phone !== null && isSameNumber(phone, lead.phone))
  const differing = [
    fact('Name', fullName(body) === fullName(lead) ? '' : fullName(body)),
    fact('Phone', samePhone ? '' : readablePhone(phone, country), telLink(phone, country)),
  ]
  const said =
    submission.kind === 'site'
      ? [
          fact('Company', submission.body.company === lead.company ? '' : submission.body.company),
          fact('Address', addressLine(submission.body.address), mapLink(submission.body.address)),
        ]
      : answersInWords(submission.body).map(answer => ({ ...answer, url: null }))
  return {
    received: formatDate(submission.receivedAt),
    message: body.message || null,
    facts: [...differing, ...said, ...formFacts(submission, formatDate)].filter(({ value }) => value !== ''),
  }
}

/** What the form recorded besides the inquiry. */
export const formFacts = (submission: Submission, formatDate: (time: number) => string) =>
  [{ label: 'Calls and texts', value: consentOfInquiry(submission, formatDate) ?? '' }, ...formInWords(submission.form)]
    .filter(({ value }) => value !== '')
    .map(({ label, value }) => fact(label, value))

const waitsForCallback = ({ pausedAt }: Lead, callbacks: readonly Callback[]): boolean =>
  pausedAt !== null && callbacks.some(({ pauses }) => pauses)

/** Whether anything happens automatically. Reminders about someone who waits continue even during a pause. */
const isUnderWay = (lead: Lead, callbacks: readonly Callback[]): boolean =>
  lead.pausedAt === null || lead.unansweredSince !== null || waitsForCallback(lead, callbacks)

function nextSteps(lead: Lead, steps: UpcomingStep[], { shortDay, formatDate }: Context): NextDetails[] {
  const words = ({ to, message }: UpcomingStep): string => {
    if (message === null) return to
    return message.startsWith('letters/') ? `email to ${fullName(lead)}` : `reminder to ${to}`
  }
  return steps.map(step => ({ at: capital(shortDay(step.at)), full: formatDate(step.at), what: capital(words(step)) }))
}

function entryDetails(
  entry: TimelineEntry,
  lead: Lead,
  cadence: Cadence,
  { settings, formatDate, shortDay }: Context,
): EntryDetails {
  const { what, notes, text, by, attachments } = timelineWords(entry, settings.admissions)
  const step = stepOfEntry(entry, cadence, fullName(lead))
  return {
    at: capital(shortDay(entry.at)),
    full: formatDate(entry.at),
    what: capital(step ?? what),
    notes,
    text: (step === undefined && shorten(text.trim(), TEXT)) || null,
    by,
    attachments,
  }
}

const fact = (label: string, value: string, url: string | null = null) => ({ label, value, url })

/** The company of a site, or the state of a student. A student's company is only their employer. */
export const fromOf = ({ kind, company, state }: Lead): string | null => (kind === 'site' ? company : state)

/** The company of a site, or the state of a student, according to an inquiry. */
export const fromInquiry = ({ kind, body }: Submission): string | null =>
  kind === 'site' ? body.company : (body.state ?? null)
