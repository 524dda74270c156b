/** One lead in words: what `frontdesk leads show` prints. */
import type { Settings } from '../config/settings.ts'
import type { Calendar } from '../follow-up/calendar.ts'
import type { Lead } from '../leads/lead.ts'
import type { Submission } from '../leads/submission.ts'
import { counselorName, type TimelineEntry, timelineWords } from '../leads/timeline.ts'
import type { Store } from '../store/store.ts'
import { duration, moment } from './output.ts'

export type FoundLead = NonNullable<Awaited<ReturnType<Store['readLead']>>>

/** How long something took after somebody wrote in, in milliseconds: of opening hours, and of all. */
export type Response = { at: number; business: number; wall: number }

/** When somebody of the school first tried to reach a lead and first did; null for not yet. */
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

/** What a counselor is called; of somebody who is none any more, what they were known by. */
export const nameOf = (id: string | null, settings: Settings): string =>
  id === null ? 'the team' : counselorName(id, settings.admissions.counselors)

export const titleOf = ({ id, firstName, lastName, kind, stage, closedReason }: Lead): string =>
  `Lead ${id}: ${firstName} ${lastName} (${kind}, ${[stage, closedReason].filter(Boolean).join(': ')})`

export function leadText(found: FoundLead, settings: Settings, calendar: Calendar): string {
  const { lead, submissions, timeline } = found
  const { attempt, contact } = responsesOf(lead, calendar)
  return [
    titleOf(lead),
    ...fields({
      'E-mail': lead.email,
      Phone: lead.phoneE164 ?? lead.phone,
      Company: lead.company,
      State: lead.state,
      Since: moment(lead.createdAt),
      Owner: nameOf(lead.owner, settings),
      'First attempt': attempt && responseText(attempt),
      'First contact': contact && responseText(contact),
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
  `${moment(at)}, after ${duration(wall)} (${duration(business)} of opening hours)`

function submissionLines({ id, receivedAt, body }: Submission): string[] {
  const shown = Object.entries(body).map(([name, value]) => [
    name,
    typeof value === 'object' ? value.text : String(value),
  ])
  return ['', `Submission ${id}, ${moment(receivedAt)}`, ...fields(Object.fromEntries(shown))]
}

const fields = (values: Record<string, string | null>): string[] =>
  Object.entries(values).flatMap(([name, value]) =>
    value ? [`  ${`${name}:`.padEnd(16)}${indent(value, 18)}`] : [],
  )

const indent = (text: string, width: number): string =>
  text.replaceAll('\n', `\n${' '.repeat(width)}`)

/** An entry of the timeline, and who made it. */
function entryText(entry: TimelineEntry, settings: Settings): string {
  const { what, text, by } = timelineWords(entry, settings.admissions.counselors)
  const origin = entry.submissionId === null ? by : `submission ${entry.submissionId}`
  const words = [what, text].filter(Boolean).join(': ')
  return origin === null ? words : `${words} (${origin})`
}
