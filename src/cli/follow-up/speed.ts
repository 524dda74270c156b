/** `frontdesk follow-up speed`: how quickly leads were called and reached. */

import { withinDuration } from '../../content/date-format.ts'
import { type Calendar, createCalendar } from '../../follow-up/calendar.ts'
import { type SpeedSummary, summarize } from '../../follow-up/response-times.ts'
import type { Speed } from '../../follow-up/simulated-figures.ts'
import type { Kind } from '../../leads/body/submission.ts'
import { reasonName } from '../../leads/lead/stages.ts'
import type { Store } from '../../store/store.ts'
import { parseTime } from '../terminal/arguments.ts'
import { count, moment, print } from '../terminal/output.ts'
import { type Row, table } from '../terminal/table.ts'
import { CommandFailed } from '../terminal/terminal.ts'
import { createTimes, type Times, wait } from '../terminal/times.ts'
import { withStore } from '../terminal/with-store.ts'

/** The percentiles of more leads than this would take too much memory. */
const MOST_LEADS = 200_000

type Options = { kind: Kind; since: string; names?: boolean; format: 'text' | 'json' }

export async function showSpeed({ kind, since: text, names, format }: Options): Promise<void> {
  await withStore(async (store, { config: { settings }, now }) => {
    const since = parseTime(text, now, settings.school.timeZone)
    const leads = await store.readResponses({ kind, since, limit: MOST_LEADS + 1 })
    if (leads.length > MOST_LEADS) {
      throw new CommandFailed(`More than ${MOST_LEADS} leads match; use a later --since.`)
    }
    const times = createTimes(settings.school, now)
    const inWords = format === 'json' ? moment : times.full
    const speed = speedOf(leads, createCalendar(settings))
    const listed = [...speed.waiting, ...speed.never].map(one => ({
      lead: one.id,
      name: one.name,
      phone: one.phone,
      'first wrote': inWords(one.createdAt),
      now: closedWords(one.closedReason, format),
    }))
    if (format === 'json') print(json(speed, names ? listed : undefined))
    else {
      const begin = `${count(leads.length, `${kind} lead`)} since ${times.full(since)}`
      const end = names ? ['', table(listed)] : ['Their names: add --names.']
      print([begin, ...speedLines(speed, times, now), ...(listed.length > 0 ? end : [])].join('\n'))
    }
  })
}

const closedWords = (reason: string | null, format: string): string => {
  if (reason === null) return 'waiting'
  return format === 'json' ? reason : reasonName(reason)
}

type Lead = Awaited<ReturnType<Store['readResponses']>>[number]

type SpeedOfLeads = {
  leads: number
  attempt: Speed
  contact: Speed
  /** Those that no one has called yet, the longest wait last, and those who were closed for that. */
  waiting: Lead[]
  never: Lead[]
  /** How many others were closed without a call. */
  closedWithoutCall: number
}

function speedOf(leads: Lead[], { school }: Calendar): SpeedOfLeads {
  const speed = (field: 'firstAttemptAt' | 'firstContactAt'): Speed => {
    const responses = leads.flatMap(({ createdAt, [field]: at }) => (at ? [{ createdAt, at }] : []))
    return {
      business: summarize(responses.map(({ createdAt, at }) => school.elapsed(createdAt, at))),
      wall: summarize(responses.map(({ createdAt, at }) => Math.max(0, at - createdAt))),
    }
  }
  const never = leads.filter(({ closedReason }) => closedReason === 'never contacted')
  const uncalled = leads.filter(one => !one.firstAttemptAt && !never.includes(one))
  const waiting = uncalled.filter(({ stage }) => stage === 'new')
  return {
    leads: leads.length,
    attempt: speed('firstAttemptAt'),
    contact: speed('firstContactAt'),
    waiting,
    never,
    closedWithoutCall: uncalled.length - waiting.length,
  }
}

const longestWait = ({ waiting }: SpeedOfLeads): number | null => waiting.at(-1)?.createdAt ?? null

/** For programs. */
function json(speed: SpeedOfLeads, names: object[] | undefined): string {
  const { leads, attempt, contact, waiting, never, closedWithoutCall } = speed
  const oldest = longestWait(speed)
  const shown = {
    leads,
    attempt,
    contact,
    waiting: { count: waiting.length, since: oldest && moment(oldest) },
    neverContacted: { count: never.length },
    closedWithoutCall: { count: closedWithoutCall },
    ...(names && { names }),
  }
  return JSON.stringify(shown, null, 2)
}

/** For people. */
function speedLines(speed: SpeedOfLeads, times: Times, now: number): string[] {
  const { waiting, never, closedWithoutCall } = speed
  const oldest = longestWait(speed)
  const longest = oldest && `, the longest for ${wait(now - oldest)} (since ${times.full(oldest)})`
  return [
    '',
    table(speedRows(speed)),
    '',
    waiting.length === 0
      ? 'No one is waiting for a first call.'
      : `Waiting for a first call: ${waiting.length}${longest}.`,
    `Never called, and closed automatically: ${never.length}.`,
    `Closed by someone without a call: ${closedWithoutCall}.`,
  ]
}

/** How long it took to call and to reach people, in school hours and in all hours, as rows of a table. */
export const speedRows = ({ attempt, contact }: { attempt: Speed; contact: Speed }): Row[] => [
  speedRow('first call, school hours', attempt.business),
  speedRow('first call, all hours', attempt.wall),
  speedRow('reached, school hours', contact.business),
  speedRow('reached, all hours', contact.wall),
]

const speedRow = (what: string, { count: leads, p50, p95, bands }: SpeedSummary): Row => ({
  'time until': what,
  leads,
  'half within': p50 === null ? '' : withinDuration(p50),
  '95% within': p95 === null ? '' : withinDuration(p95),
  ...Object.fromEntries(bands.map(band => [band.label, band.count])),
})
