/** What a row of a list says about a lead, in words for people. */
import type { Settings } from '../../config/settings.ts'
import { createShortDateFormat, durationInWords } from '../../content/date-format.ts'
import { oneLine, shorten } from '../../content/one-line.ts'
import type { Place } from '../../follow-up/area-codes.ts'
import { type Cadence, recipientOf, stepsOn } from '../../follow-up/cadence.ts'
import type { Calendar } from '../../follow-up/calendar.ts'
import { dueAt } from '../../follow-up/schedule.ts'
import { isWrongAddress, type SuppressionReason } from '../../follow-up/stop-conditions.ts'
import type { Services } from '../../lead-actions/services.ts'
import { otherLanguage } from '../../leads/body/languages.ts'
import { suppressionHashes } from '../../leads/body/mailbox-key.ts'
import { answersInWords, timelineInWords, warmthOf, withoutRank } from '../../leads/body/ranked-answers.ts'
import { stateName } from '../../leads/body/states.ts'
import type { Submission } from '../../leads/body/submission.ts'
import { capital } from '../../leads/body/tidy-text.ts'
import { labelNames } from '../../leads/lead/labels.ts'
import type { Answers } from '../../leads/lead/last-given.ts'
import { fullName, type Lead } from '../../leads/lead/lead.ts'
import { ownerName } from '../../leads/lead/staff.ts'
import { stageInWords } from '../../leads/lead/stages.ts'
import { isCompleted } from '../../leads/lead/timeline-details.ts'
import { timelineWords } from '../../leads/words/timeline-words.ts'
import { MINUTE } from '../../platform/time.ts'
import type { InboxRow } from '../../store/lists/inbox-rows.ts'

export type RowWords = {
  id: number
  name: string
  kind: 'Student' | 'Site'
  /** What they want: the beginning of their message, or their answers. */
  what: string
  from: string
  warmth: 'Hot' | 'Warm' | 'Cool' | null
  /** How long they have been waiting; null if they are not. */
  waiting: { time: string; late: boolean; target: string } | null
  stage: string
  /** Whether no one has reached them yet. */
  isNew: boolean
  /** Their language, named in English, if it is not the school's first. */
  language: string | null
  wroteBack: boolean
  /** What cannot be used to reach them: their number or their address. */
  broken: string[]
  inquiries: number
  labels: string[]
  programs: string[]
  campus: string | null
  /** How they heard of the school, or else where they came from; may be empty. */
  source: string
  /** The day of their first inquiry. */
  wrote: string
  /** What happened last, when, and who did it; null if nothing happened after their first inquiry. */
  last: string | null
  counselor: string | null
  next: { what: string; at: string } | null
  /** The time of the next promised callback, and whether it is overdue; null if there is none. */
  callback: { at: string; overdue: boolean } | null
  /** How long staff may call today, or when they next may; null if that is not shown. */
  call: string | null
}

export type RowContext = {
  settings: Settings
  calendar: Calendar
  now: number
  /** A moment in few words. */
  moment: (time: number) => string
  /** The leads whose address is wrong, or gets no emails. */
  suppressed: ReadonlyMap<number, SuppressionReason>
}

export function rowContext({ settings, calendar }: Pick<RowContext, 'settings' | 'calendar'>, now: number): RowContext {
  const shortDate = createShortDateFormat(settings.school)
  return { settings, calendar, now, moment: time => unbroken(shortDate(time, now)), suppressed: new Map() }
}

/** A line never ends between the time and its AM or PM, nor between the month and the day. */
export const unbroken = (text: string): string => text.replace(/ (?=[AP]M\b)|(?<=\p{L}) (?=\d{1,2},)/gu, '\u00a0')

/** Which of these leads have an address that gets no emails, and why. */
export async function suppressedLeads(
  { store, addressSecret }: Pick<Services, 'store' | 'addressSecret'>,
  rows: readonly InboxRow[],
): Promise<RowContext['suppressed']> {
  const hashes = rows.map(({ lead }) => [lead.id, suppressionHashes(addressSecret, lead.email)] as const)
  const found = await store.suppressedAmong(hashes.flatMap(([, all]) => all))
  return new Map(
    hashes.flatMap(([id, all]) => {
      const reason = all.map(one => found.get(one)).find(one => one !== undefined)
      return reason === undefined ? [] : [[id, reason]]
    }),
  )
}

const MESSAGE = 140

export function rowWords(row: InboxRow, context: RowContext): RowWords {
  const { lead, written, answers, inquiries } = row
  const { settings } = context
  return {
    id: lead.id,
    name: fullName(lead),
    kind: lead.kind === 'site' ? 'Site' : 'Student',
    what: row.reply ? shorten(oneLine(row.reply), MESSAGE) : written === undefined ? '' : whatOf(written, answers),
    from: fromOf(lead, answers, settings),
    warmth: warmthOf(answers, settings.studentInterest.answers),
    waiting: waitingOf(row, context),
    stage: stageInWords(lead.stage, lead.closedReason),
    isNew: lead.stage === 'new',
    language: otherLanguage(lead.language, settings.languages),
    wroteBack: lead.unansweredSince !== null,
    broken: brokenWays(lead, context),
    inquiries,
    labels: labelNames(row.labels, 'tag'),
    programs: labelNames(row.labels, 'program'),
    campus: lead.campus,
    source: withoutRank(answers.source?.text) || (lead.cameFrom ?? ''),
    wrote: context.moment(lead.createdAt),
    last: lastInWords(row, context),
    counselor: lead.owner === null ? null : ownerName(lead.owner, settings.admissions),
    next: nextOf(row, context),
    callback:
      lead.callbackAt === null
        ? null
        : { at: context.moment(lead.callbackAt), overdue: lead.callbackAt <= context.now },
    call: null,
  }
}

/**
 * Whether writing is a likelier next step than calling: they wrote back, an email can reach them, and no promised call
 * is due. It decides which button comes first on the page of a lead and on the card of *Today*.
 */
export const isWriteFirst = (
  { unansweredSince, callbackAt, email }: Lead,
  { suppressed, now }: { suppressed: boolean; now: number },
): boolean => unansweredSince !== null && email !== null && !suppressed && (callbackAt === null || callbackAt > now)

function brokenWays(lead: Lead, { suppressed }: RowContext): string[] {
  const reason = suppressed.get(lead.id)
  return [
    ...(lead.phone !== null && lead.phone === lead.wrongPhone ? ['Wrong number'] : []),
    ...(reason === undefined ? [] : [isWrongAddress(reason) ? 'Wrong address' : 'No emails']),
  ]
}

function whatOf(written: Submission, answers: Answers): string {
  const message = oneLine(written.body.message)
  if (written.kind === 'site') return shorten(message, MESSAGE)
  const start = timelineInWords(answers)
  const interest = answersInWords(answers).filter(({ label }) => label === 'Interest')
  const said = [start, ...interest.map(({ value }) => value)].filter(Boolean).join(', ')
  return shorten(message || capital(said), MESSAGE)
}

function fromOf(lead: Lead, { city }: Answers, settings: Settings): string {
  if (lead.kind === 'site') return lead.company ?? ''
  const state = lead.state ? stateName(lead.state, settings.studentInterest.states) : undefined
  return [city, state].filter(Boolean).join(', ')
}

const LAST = 100

/** Such as `Replied yesterday`, or `Note 2 h ago by Priya Nair: Wants the evening …`. */
function lastInWords({ lead, last, reply }: InboxRow, { settings, moment, now }: RowContext): string | null {
  if (last === null || last.submissionId === lead.id) return null
  const { what, text, by } = timelineWords(
    { ...last, mail: last.kind === 'email' ? (last.mail ?? null) : null },
    settings.admissions,
  )
  const [day = ''] = moment(last.at).split(', ')
  const when = day !== 'today' ? day : now - last.at < MINUTE ? 'just now' : `${roughDuration(now - last.at)} ago`
  const again = last.kind === 'submission' && !isCompleted(last.detail) ? `${what} again` : what
  const head = `${capital(again)} ${when}${by === null ? '' : ` by ${by}`}`
  // Their reply is already shown as what they want.
  const said = text === '' || (last.kind === 'reply' && reply !== undefined)
  return said ? head : `${head}: ${shorten(oneLine(text), LAST)}`
}

/**
 * When the first reminder to the staff is due: by then, someone should have tried to reach the person, or have
 * answered. A lead keeps the cadence that it began with. Default for `followUp`: the cadence in force.
 */
export function targetOf(
  lead: Pick<Lead, 'kind' | 'createdAt'> & Place & Partial<Pick<Lead, 'unansweredSince'>>,
  { settings, calendar }: RowContext,
  followUp?: InboxRow['followUp'],
): number | undefined {
  if (followUp?.reminderAt != null) return followUp.reminderAt
  const cadence: Cadence = followUp?.cadence ?? settings.followUp[lead.kind]
  const [first] = stepsOn(cadence, 'staff')
  if (first === undefined) return undefined
  const start = lead.unansweredSince ?? followUp?.since ?? lead.createdAt
  return dueAt(cadence, first, { start }, calendar.hoursFor(lead))
}

function waitingOf(row: InboxRow, context: RowContext): RowWords['waiting'] {
  const { lead, tried, followUp } = row
  if (lead.unansweredSince !== null) return answerBy(lead.unansweredSince, targetOf(lead, context, followUp), context)
  if (lead.stage !== 'new') return null
  if (!tried && isOnlyImported(row))
    return { time: roughDuration(context.now - lead.createdAt), late: false, target: 'imported, no reminder' }
  if (lead.callbackAt !== null)
    return { time: roughDuration(context.now - lead.createdAt), late: false, target: 'callback promised' }
  if (lead.pausedAt !== null)
    return { time: roughDuration(context.now - lead.createdAt), late: false, target: 'paused' }
  const target = targetOf(lead, context, followUp)
  const late = !tried && target !== undefined && context.now > target
  return {
    time: roughDuration(context.now - lead.createdAt),
    late,
    target: tried
      ? 'no answer yet'
      : target === undefined
        ? ''
        : late
          ? `late, due ${context.moment(target)}`
          : `call by ${context.moment(target)}`,
  }
}

function answerBy(since: number, target: number | undefined, { now, moment }: RowContext): RowWords['waiting'] {
  const time = roughDuration(now - since)
  if (target === undefined) return { time, late: false, target: 'wrote back' }
  const late = now > target
  return { time, late, target: late ? `late, answer due ${moment(target)}` : `answer by ${moment(target)}` }
}

/** Whether we know the person only from an imported list. No one is reminded to call such a person. */
const isOnlyImported = ({ lead, written, inquiries }: InboxRow): boolean =>
  inquiries === 1 && written?.id === lead.id && written.form?.entered?.importId !== undefined

/** Such as `12 min`: what `durationInWords` says, but shorter. */
export const roughDuration = (time: number): string =>
  durationInWords(time)
    .replace('less than a minute', 'just now')
    .replace(/ minutes?$/, ' min')
    .replace(/ hours?$/, ' h')

/** What Frontdesk does next automatically. Once the person is reached, that is nothing, unless someone plans it. */
function nextOf({ lead, next }: InboxRow, { moment, now }: RowContext): RowWords['next'] {
  const unanswered = lead.unansweredSince !== null
  if (lead.stage === 'closed' && !unanswered) return null
  if (lead.callbackAt !== null) return { what: 'Callback', at: moment(lead.callbackAt) }
  if (lead.pausedAt !== null && !unanswered) return { what: 'Paused', at: '' }
  if (next === null || (lead.stage !== 'new' && !unanswered)) return null
  return { what: stepWords[recipientOf(next.step) ?? 'close'], at: moment(Math.max(next.at, now)) }
}

const stepWords = {
  counselor: 'Reminder',
  backup: 'Backup',
  manager: 'Manager',
  team: 'Reminder',
  student: 'Email',
  chat: 'Chat',
  close: 'Closes',
}
