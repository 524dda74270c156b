/** `frontdesk follow-up speed`: how quickly leads were called and reached. */
import { withinDuration } from '../content/date-format.ts'
import { createCalendar } from '../follow-up/calendar.ts'
import { type SpeedSummary, summarize } from '../follow-up/response-times.ts'
import type { Speed } from '../follow-up/simulated-figures.ts'
import type { Kind } from '../leads/submission.ts'
import { parseTime } from './arguments.ts'
import { count, moment, print } from './output.ts'
import { type Row, table } from './table.ts'
import { CommandFailed } from './terminal.ts'
import { createTimes, wait } from './times.ts'
import { withStore } from './with-store.ts'

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
    const { school } = createCalendar(settings)
    const speedOf = (field: 'firstAttemptAt' | 'firstContactAt'): Speed => {
      const responses = leads.flatMap(({ createdAt, [field]: at }) =>
        at ? [{ createdAt, at }] : [],
      )
      return {
        business: summarize(responses.map(({ createdAt, at }) => school.elapsed(createdAt, at))),
        wall: summarize(responses.map(({ createdAt, at }) => Math.max(0, at - createdAt))),
      }
    }
    const never = leads.filter(({ closedReason }) => closedReason === 'never contacted')
    const uncalled = leads.filter(one => !one.firstAttemptAt && !never.includes(one))
    const waiting = uncalled.filter(({ stage }) => stage === 'new')
    const oldest = waiting.at(-1)?.createdAt ?? null
    const speed = {
      leads: leads.length,
      attempt: speedOf('firstAttemptAt'),
      contact: speedOf('firstContactAt'),
      waiting: { count: waiting.length, since: oldest && moment(oldest) },
      neverContacted: { count: never.length },
      closedWithoutCall: { count: uncalled.length - waiting.length },
    }
    const times = createTimes(settings.school, now)
    const listed = [...waiting, ...never].map(one => ({
      lead: one.id,
      name: one.name,
      phone: one.phone,
      'first wrote': format === 'json' ? moment(one.createdAt) : times.full(one.createdAt),
      now: one.closedReason ?? 'waiting',
    }))
    if (format === 'json')
      return print(JSON.stringify({ ...speed, ...(names && { names: listed }) }, null, 2))
    const longest =
      oldest && `, the longest for ${wait(now - oldest)} (since ${times.full(oldest)})`
    print(
      [
        `${count(leads.length, `${kind} lead`)} since ${times.full(since)}`,
        '',
        table(speedRows(speed)),
        '',
        waiting.length === 0
          ? 'No one is waiting for a first call.'
          : `Waiting for a first call: ${waiting.length}${longest}.`,
        `Never contacted, and closed automatically: ${never.length}.`,
        `Closed by someone without a call: ${speed.closedWithoutCall.count}.`,
        ...(listed.length === 0 ? [] : names ? ['', table(listed)] : ['Their names: add --names.']),
      ].join('\n'),
    )
  })
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
