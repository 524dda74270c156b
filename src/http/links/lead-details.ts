/** Everything that the page of a lead shows, in words and links for people. */
import type { Settings } from '../../config/settings.ts'
import { mailtoLink, mapLink, telLink } from '../../content/contact-links.ts'
import { shorten } from '../../content/one-line.ts'
import type { Lead } from '../../leads/lead.ts'
import { phoneDigits } from '../../leads/phone.ts'
import { type AnswerInWords, answersInWords } from '../../leads/ranked-answers.ts'
import type { Kind, Submission } from '../../leads/submission.ts'
import { type TimelineEntry, timelineWords } from '../../leads/timeline.ts'
import type { Store } from '../../store/store.ts'

/** A field without a value is null, never absent. Dates are in the school's time zone. */
export type LeadDetails = {
  name: string
  kind: Kind
  phone: string
  phone_url: string
  email: string
  email_url: string
  /** The company of a site, the state of a student. */
  from: string | null
  stage: string
  /** Why the lead was closed. */
  reason: string | null
  owner: string | null
  /** When they first wrote in. */
  since: string
  /** When the follow-up was paused. */
  paused: string | null
  /** When they last replied to an email. */
  replied: string | null
  account: boolean
  /** Newest first. */
  submissions: SubmissionDetails[]
  /** How many more there are, older than those. */
  more_submissions: number
  /** Newest first. */
  timeline: EntryDetails[]
  /** How many more there are, older than those. */
  more_entries: number
}

type SubmissionDetails = {
  received: string
  message: string | null
  /** Ranked answers, and facts that differ from the lead; with a URL if there is something to open. */
  facts: (AnswerInWords & { url: string | null })[]
}

/** `text` is what a person wrote. */
type EntryDetails = { at: string; what: string; text: string | null; by: string | null }

type Context = { settings: Settings; formatDate: (time: number) => string }

/** However much people send from one email address, the page stays readable. */
const SUBMISSIONS = 20
const ENTRIES = 100
const TEXT = 4000

export function leadDetails(
  { lead, submissions, timeline }: NonNullable<Awaited<ReturnType<Store['readLead']>>>,
  context: Context,
): LeadDetails {
  const { settings, formatDate } = context
  return {
    name: nameOf(lead),
    kind: lead.kind,
    phone: lead.phone,
    phone_url: telLink(lead.phone, settings.school.country),
    email: lead.email,
    email_url: mailtoLink(lead.email),
    from: fromOf(lead),
    stage: lead.stage,
    reason: lead.closedReason,
    owner: lead.owner,
    since: formatDate(lead.createdAt),
    paused: lead.pausedAt === null ? null : formatDate(lead.pausedAt),
    replied: lead.repliedAt === null ? null : formatDate(lead.repliedAt),
    account: lead.account,
    submissions: submissions
      .slice(-SUBMISSIONS)
      .reverse()
      .map(submission => submissionDetails(submission, lead, context)),
    more_submissions: Math.max(0, submissions.length - SUBMISSIONS),
    timeline: timeline
      .slice(-ENTRIES)
      .reverse()
      .map(entry => entryDetails(entry, context)),
    more_entries: Math.max(0, timeline.length - ENTRIES),
  }
}

function submissionDetails(
  submission: Submission,
  lead: Lead,
  { settings, formatDate }: Context,
): SubmissionDetails {
  const { body } = submission
  const samePhone = phoneDigits(body.phone) === phoneDigits(lead.phone)
  const differing = [
    fact('Name', nameOf(body) === nameOf(lead) ? '' : nameOf(body)),
    fact('Phone', samePhone ? '' : body.phone, telLink(body.phone, settings.school.country)),
  ]
  const said =
    submission.kind === 'site'
      ? [
          fact('Company', submission.body.company === lead.company ? '' : submission.body.company),
          fact('Address', inOneLine(submission.body.address), mapLink(submission.body.address)),
        ]
      : answersInWords(submission.body).map(answer => ({
          ...answer,
          url: null,
        }))
  return {
    received: formatDate(submission.receivedAt),
    message: body.message || null,
    facts: [...differing, ...said].filter(({ value }) => value !== ''),
  }
}

function entryDetails(entry: TimelineEntry, { settings, formatDate }: Context): EntryDetails {
  const { what, text, by } = timelineWords(entry, settings.admissions)
  return {
    at: formatDate(entry.at),
    what: what.charAt(0).toUpperCase() + what.slice(1),
    text: shorten(text.trim(), TEXT) || null,
    by,
  }
}

const fact = (label: string, value: string, url: string | null = null) => ({
  label,
  value,
  url,
})

const inOneLine = (address: string): string => address.replace(/\s*\n\s*/g, ', ')

/** The company of a site, the state of a student, whose company is only an employer. */
export const fromOf = ({ kind, company, state }: Lead): string | null =>
  kind === 'site' ? company : state

const nameOf = ({ firstName, lastName }: { firstName: string; lastName: string }): string =>
  `${firstName} ${lastName}`
