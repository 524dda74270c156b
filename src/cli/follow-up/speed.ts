/** `frontdesk follow-up speed`: how quickly people were reached, in the figures of *Insight*. */
import { dateInWords, roughly } from '../../content/date-format.ts'
import { createCalendar } from '../../follow-up/calendar.ts'
import { type ContactTimes, contactBands, type Speed } from '../../follow-up/times-to-reach.ts'
import type { Kind } from '../../leads/body/submission.ts'
import { share } from '../../leads/body/tidy-text.ts'
import { fullName, type Lead } from '../../leads/lead/lead.ts'
import { reasonName } from '../../leads/lead/stages.ts'
import { isUntried, readReported } from '../../mail/report/read-report.ts'
import { moment } from '../../platform/time.ts'
import type { Insight } from '../../store/insight/insight.ts'
import type { Span } from '../../store/insight/report-queries.ts'
import type { Store } from '../../store/store.ts'
import { parseTime } from '../terminal/arguments.ts'
import { count, print } from '../terminal/output.ts'
import { type Row, table } from '../terminal/table.ts'
import { createTimes } from '../terminal/times.ts'
import { withStore } from '../terminal/with-store.ts'

type Options = { kind?: Kind; since: string; names?: boolean; format: 'text' | 'json' }

export async function showSpeed({ kind, since, names, format }: Options): Promise<void> {
  await withStore(async (store, { config: { settings }, now }) => {
    const calendar = createCalendar(settings)
    const [from, to] = [calendar.today(parseTime(since, now, settings.school.timeZone)), calendar.today(now)]
    const insight = await store.readInsight({ from, to, kind })
    const span = { from: calendar.startOf(from), until: calendar.midnightAfter(now) }
    const untried = names ? await listUntried(store, span, kind) : undefined
    if (format === 'json') return print(json({ from, to, insight, untried }))
    const times = createTimes(settings.school, now)
    const who = kind === undefined ? 'people' : kind
    const days = `from ${dateInWords(from, settings.school)} to ${dateInWords(to, settings.school)}`
    print(
      [
        `${who === 'people' ? count(insight.all.leads, 'person', who) : count(insight.all.leads, who)} wrote in ${days}.`,
        ...figures(insight),
        ...(insight.changedSince === null
          ? []
          : [`What has changed since ${times.full(insight.changedSince)} is still being counted.`]),
        '',
        ...(untried === undefined
          ? ['To list the people no one has tried to reach: add --names.']
          : untriedLines(untried.map(lead => untriedRow(lead, times.full, reasonName)))),
      ].join('\n'),
    )
  })
}

/** People who wrote in and are not called yet, or whose leads were closed because no one had called. Oldest first. */
async function listUntried(store: Store, span: Span, kind: Kind | undefined): Promise<Lead[]> {
  const found: Lead[] = []
  for await (const leads of readReported(store, span)) {
    const ids = leads.filter(one => isUntried(one) && (kind ?? one.kind) === one.kind).map(({ id }) => id)
    if (ids.length > 0) found.push(...(await store.listLeads({ ids, oldestFirst: true, limit: ids.length })))
  }
  return found
}

function figures({ all, entered }: Insight): string[] {
  const part = (leads: number) => (leads === 0 ? '0' : `${leads} (${share(leads, all.leads)})`)
  return [
    ...(entered.leads === 0 ? [] : [`Imported or entered by hand, and not counted here: ${entered.leads}.`]),
    `Reached: ${part(all.reached)}. Not reached yet: ${part(all.waiting)}. Closed first: ${part(all.closed)}.`,
    '',
    table(speedRows('reached', all)),
  ]
}

const untriedLines = (rows: Row[]): string[] =>
  rows.length === 0 ? ['Someone has tried to reach everyone.'] : ['No one has tried to reach:', table(rows)]

const untriedRow = (lead: Lead, time: (at: number) => string, reason: (closed: string) => string): Row => ({
  lead: lead.id,
  name: fullName(lead),
  phone: lead.phone,
  'first wrote': time(lead.createdAt),
  now: lead.closedReason === null ? 'waiting' : reason(lead.closedReason),
})

/** The figures for programs. Durations are in milliseconds. */
function json({
  from,
  to,
  insight,
  untried,
}: {
  from: string
  to: string
  insight: Insight
  untried?: Lead[] | undefined
}) {
  const { all, entered, changedSince } = insight
  const shown = {
    from,
    to,
    leads: all.leads,
    reached: all.reached,
    waiting: all.waiting,
    closed: all.closed,
    entered: entered.leads,
    ...speedData(all),
    changedSince: changedSince && moment(changedSince),
    names: untried?.map(lead => untriedRow(lead, moment, reason => reason)),
  }
  return JSON.stringify(shown, null, 2)
}

/** How long something took, for programs. */
export const speedData = ({ working, wall }: Speed) => ({ working: timesData(working), wall: timesData(wall) })

const timesData = ({ bands, ...times }: ContactTimes) => ({ ...times, bands: bandCells(bands) })

const bandCells = (bands: readonly number[]): Record<string, number> =>
  Object.fromEntries(contactBands.map((band, index) => [band, bands[index] ?? 0]))

/** How long something took, in school hours and in all hours, as rows of a table. */
export const speedRows = (what: string, { working, wall }: Speed): Row[] => [
  speedRow(`${what}, school hours`, working),
  speedRow(`${what}, all hours`, wall),
]

const speedRow = (what: string, { count: leads, p50, p95, bands }: ContactTimes): Row => ({
  'time until': what,
  leads,
  ...bandCells(bands),
  'half within': roughly(p50),
  '95% within': roughly(p95),
})
