/** A lead as text: what `frontdesk leads show` prints. */
import type { Settings } from '../../config/settings.ts'
import { shortDuration } from '../../content/date-format.ts'
import type { Cadence } from '../../follow-up/cadence.ts'
import type { Calendar } from '../../follow-up/calendar.ts'
import { stepOfEntry } from '../../follow-up/sent-steps.ts'
import { attachmentInWords } from '../../leads/attachments/attachment.ts'
import { formInWords, originOfLead } from '../../leads/body/came-from.ts'
import { consentOfInquiry, consentOfLead } from '../../leads/body/consent.ts'
import { languageName } from '../../leads/body/languages.ts'
import { type GivenPhone, numberToCall } from '../../leads/body/phone.ts'
import type { Submission } from '../../leads/body/submission.ts'
import { type Label, labelNames } from '../../leads/lead/labels.ts'
import { fullName, type Lead } from '../../leads/lead/lead.ts'
import { ownerName } from '../../leads/lead/staff.ts'
import { reasonName, stageName } from '../../leads/lead/stages.ts'
import type { TimelineEntry } from '../../leads/lead/timeline-entries.ts'
import { timelineWords } from '../../leads/words/timeline-words.ts'
import type { LeadHistory } from '../../store/lookup/lead-history.ts'
import { bold } from '../terminal/terminal.ts'
import { type Times, wait } from '../terminal/times.ts'

/** When the school responded, and how long after the lead first wrote, in ms of school hours and all hours. */
export type Response = { at: number; business: number; wall: number }

/** The first call attempt, and the first time that the lead was reached; null if there was none. */
export function responsesOf(
  { createdAt, firstAttemptAt, firstContactAt }: Lead,
  { school }: Calendar,
): { attempt: Response | null; contact: Response | null } {
  const responseAt = (at: number | null): Response | null =>
    at === null ? null : { at, business: school.elapsed(createdAt, at), wall: Math.max(0, at - createdAt) }
  return { attempt: responseAt(firstAttemptAt), contact: responseAt(firstContactAt) }
}

/** The name of a counselor, the manager or the team. */
export const nameOf = (id: string | null, settings: Settings): string => ownerName(id, settings.admissions)

export const titleOf = ({ id, firstName, lastName, kind, stage, closedReason }: Lead): string =>
  `Lead ${id}: ${firstName} ${lastName} (${kind}, ${[stageName(stage), closedReason && reasonName(closedReason)].filter(Boolean).join(': ')})`

export function leadText(
  { lead, submissions, timeline, cadence, older }: LeadHistory,
  { phones, labels, others, settings, calendar, times, now }: LeadContext,
): string {
  const { attempt, contact } = responsesOf(lead, calendar)
  const since = (at: number) => `${times.full(at)}, ${wait(now - at)} ago`
  const response = ({ at, business, wall }: Response) =>
    `${times.full(at)}, after ${shortDuration(wall)} (${shortDuration(business)} of school hours)`
  const entries = timeline.map(entry => [times.short(entry.at), entryText(entry, lead, cadence, settings)] as const)
  const width = Math.max(0, ...entries.map(([time]) => time.length))
  return [
    bold(titleOf(lead)),
    ...fields({
      Phone: phones
        .map(({ phone, at }) => {
          const number = numberToCall(phone, settings.school.country)
          return phones.length > 1 ? `${number}, first given ${times.full(at)}` : number
        })
        .join('\n'),
      Email: lead.email,
      Company: lead.kind === 'site' ? lead.company : null,
      Employer: lead.kind === 'student' ? lead.company : null,
      State: lead.state,
      'First wrote': since(lead.createdAt),
      Counselor: nameOf(lead.owner, settings),
      'First call': attempt && response(attempt),
      Reached: contact && response(contact),
      Paused: pauseText(lead, times),
      Replied: lead.repliedAt === null ? null : since(lead.repliedAt),
      Account: lead.account ? 'has one at the learning site' : null,
      Language: lead.language && languageName(lead.language),
      'Best time': lead.bestTime,
      Campus: lead.campus,
      'Came from': originOfLead(lead),
      'Calls, texts': consentOfLead(lead, times.full),
      Tags: labelNames(labels, 'tag').join(', '),
      'Interested in': labelNames(labels, 'program').join(', '),
      'Other leads': others.map(titleOf).join('\n'),
    }),
    ...submissions.flatMap(submission => submissionLines(submission, times)),
    '',
    bold('Timeline'),
    ...(older === null ? [] : [`  Older entries: npx frontdesk leads show ${lead.id} --before ${older}`]),
    ...entries.map(([time, text]) => `  ${time.padEnd(width)}  ${indent(text, width + 4)}`),
  ].join('\n')
}

type LeadContext = {
  /** The numbers that were given for the lead, in the order in which they came. */
  phones: GivenPhone[]
  labels: Label[]
  /** The other leads of the same person. */
  others: Lead[]
  settings: Settings
  calendar: Calendar
  times: Times
  now: number
}

function submissionLines(submission: Submission, times: Times): string[] {
  const { id, receivedAt, body, form } = submission
  const values = Object.entries(body).map(([name, value]) => [
    name,
    typeof value === 'object' ? value.text : String(value),
  ])
  const title = bold(`Submission ${id}, ${times.full(receivedAt)}`)
  const origin = formInWords(form).map(({ label, value }) => [label, value])
  return [
    '',
    title,
    ...fields(Object.fromEntries([...values, ...origin])),
    ...fields({ 'Calls, texts': consentOfInquiry(submission, times.full), 'Hidden field': form?.trap ?? null }),
  ]
}

const fields = (values: Record<string, string | null>): string[] =>
  Object.entries(values).flatMap(([name, value]) => (value ? [`  ${`${name}:`.padEnd(16)}${indent(value, 18)}`] : []))

const indent = (text: string, width: number): string => text.replaceAll('\n', `\n${' '.repeat(width)}`)

function entryText(entry: TimelineEntry, lead: Lead, cadence: Cadence, settings: Settings): string {
  const { what, notes, text, by } = timelineWords(entry, settings.admissions)
  const files = (entry.attachments ?? []).map(one => `\nAttachment ${one.id}: ${attachmentInWords(one)}`)
  const step = stepOfEntry(entry, cadence, fullName(lead))
  const source = entry.submissionId === null ? null : `submission ${entry.submissionId}`
  const origin = [by, source].filter(one => one !== null).join(', ')
  const words = step ?? [[what, text].filter(Boolean).join(': '), ...notes].join('. ')
  return (origin === '' ? words : `${words} (${origin})`) + files.join('')
}

function pauseText({ pausedAt }: Lead, times: Times): string | null {
  return pausedAt === null ? null : `since ${times.full(pausedAt)}`
}
