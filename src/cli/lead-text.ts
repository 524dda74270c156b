/** A lead as text: what `frontdesk leads show` prints. */
import type { Settings } from '../config/settings.ts'
import type { Calendar } from '../follow-up/calendar.ts'
import type { Lead } from '../leads/lead.ts'
import { ownerName } from '../leads/staff.ts'
import type { Submission } from '../leads/submission.ts'
import { type TimelineEntry, timelineWords } from '../leads/timeline.ts'
import { duration, moment } from './output.ts'
import type { FoundLead } from './with-store.ts'

/** When the school responded, and how long after the lead first wrote, in milliseconds of school hours and of all hours. */
export type Response = { at: number; business: number; wall: number }

/** The first call attempt, and the first time that the lead was reached; null if there was none yet. */
export function responsesOf(
  { createdAt, firstAttemptAt, firstContactAt }: Lead,
  { school }: Calendar,
): { attempt: Response | null; contact: Response | null } {
  const responseAt = (at: number | null): Response | null =>
    at === null
      ? null
      : { at, business: school.elapsed(createdAt, at), wall: Math.max(0, at - createdAt) }
  return { attempt: responseAt(firstAttemptAt), contact: responseAt(firstContactAt) }
}

/** The name of a counselor, the manager or the team. */
export const nameOf = (id: string | null, settings: Settings): string =>
  ownerName(id, settings.admissions)

export const titleOf = ({ id, firstName, lastName, kind, stage, closedReason }: Lead): string =>
  `Lead ${id}: ${firstName} ${lastName} (${kind}, ${[stage, closedReason].filter(Boolean).join(': ')})`

export function leadText(found: FoundLead, settings: Settings, calendar: Calendar): string {
  const { lead, submissions, timeline } = found
  const { attempt, contact } = responsesOf(lead, calendar)
  return [
    titleOf(lead),
    ...fields({
      Email: lead.email,
      Phone: lead.phoneE164 ?? lead.phone,
      Company: lead.company,
      State: lead.state,
      'First wrote': moment(lead.createdAt),
      Counselor: nameOf(lead.owner, settings),
      'First call': attempt && responseText(attempt),
      Reached: contact && responseText(contact),
      Paused: lead.pausedAt === null ? null : `since ${moment(lead.pausedAt)}`,
      Replied: lead.repliedAt === null ? null : moment(lead.repliedAt),
      Account: lead.account ? 'has one at the learning site' : null,
    }),
    ...submissions.flatMap(submissionLines),
    '',
    'Timeline',
    ...timeline.map(entry => `  ${moment(entry.at)}  ${indent(entryText(entry, settings), 24)}`),
  ].join('\n')
}

const responseText = ({ at, business, wall }: Response): string =>
  `${moment(at)}, after ${duration(wall)} (${duration(business)} of school hours)`

function submissionLines({ id, receivedAt, body }: Submission): string[] {
  const values = Object.entries(body).map(([name, value]) => [
    name,
    typeof value === 'object' ? value.text : String(value),
  ])
  return ['', `Submission ${id}, ${moment(receivedAt)}`, ...fields(Object.fromEntries(values))]
}

const fields = (values: Record<string, string | null>): string[] =>
  Object.entries(values).flatMap(([name, value]) =>
    value ? [`  ${`${name}:`.padEnd(16)}${indent(value, 18)}`] : [],
  )

const indent = (text: string, width: number): string =>
  text.replaceAll('\n', `\n${' '.repeat(width)}`)

/** An entry of the timeline, and the person or submission that made it. */
function entryText(entry: TimelineEntry, settings: Settings): string {
  const { what, text, by } = timelineWords(entry, settings.admissions)
  const origin = entry.submissionId === null ? by : `submission ${entry.submissionId}`
  const words = [what, text].filter(Boolean).join(': ')
  return origin === null ? words : `${words} (${origin})`
}
