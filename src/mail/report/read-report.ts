/** The report of a week, for the email and the page of the console: everything that the store knows about it. */
import type { Calendar } from '../../follow-up/calendar.ts'
import { createTally, type Tally } from '../../follow-up/weekly-tally.ts'
import type { Week } from '../../follow-up/weeks.ts'
import type { Kind } from '../../leads/body/submission.ts'
import type { Lead } from '../../leads/lead/lead.ts'
import type { Outcome, ReportedLead, Span } from '../../store/insight/report-queries.ts'
import type { WaitingNow } from '../../store/pages/report-page.ts'
import type { Store } from '../../store/store.ts'

export type WeeklyReport = WaitingNow & {
  week: Week
  tally: Tally
  /** How many people someone imported or entered by hand. The tally covers only people who wrote in. */
  entered: number
  /** How many people of each kind wrote in in the week before. */
  before: Record<Kind, number>
  /**
   * The week's people that no one has tried to reach, oldest first; `total` also counts those beyond the limit.
   * `others`: how many people besides them no one has tried to reach, such as those of earlier weeks.
   */
  untried: { leads: Lead[]; total: number; others: number }
  outcomes: Outcome[]
}

const AT_ONCE = 500

/** How many people in each list are named, and the moment of the report. */
type Named = { mostNamed: number; now: number }

/** Reads the report of a week; `before` is the week before it. */
export async function readWeeklyReport(
  store: Pick<Store, 'countCreated' | 'countOutcomes' | 'listLeads' | 'listReported' | 'readWaitingNow'>,
  { week, before, calendar, mostNamed, now }: Named & { week: Week; before: Week; calendar: Calendar },
): Promise<WeeklyReport> {
  const tally = createTally(calendar)
  const untried: number[] = []
  let [entered, open] = [0, 0]
  for await (const leads of readReported(store, week)) {
    const wrote = leads.filter(one => !one.entered)
    entered += leads.length - wrote.length
    tally.add(wrote)
    const missed = leads.filter(isUntried)
    open += missed.filter(({ stage }) => stage === 'new').length
    untried.push(...missed.map(({ id }) => id))
  }
  const waiting = await store.readWaitingNow({ now, limit: mostNamed })
  const listed = untried.slice(0, mostNamed)
  return {
    week,
    tally: tally.result(),
    entered,
    before: await store.countCreated(before),
    untried: {
      leads: listed.length === 0 ? [] : await store.listLeads({ ids: listed, oldestFirst: true, limit: mostNamed }),
      total: untried.length,
      others: Math.max(0, waiting.toDo.untried - open),
    },
    outcomes: await store.countOutcomes(week),
    ...waiting,
  }
}

/** The leads that were created within a span and count, oldest first, in portions. */
export async function* readReported(store: Pick<Store, 'listReported'>, span: Span): AsyncGenerator<ReportedLead[]> {
  for (let after: ReportedLead | undefined; ; ) {
    const leads = await store.listReported({ ...span, after, limit: AT_ONCE })
    yield leads
    after = leads.at(-1)
    if (leads.length < AT_ONCE) return
  }
}

/** Whether the person wrote in, no one has tried to reach them, and no one has closed the lead or decided otherwise. */
export const isUntried = ({ entered, tried, stage, closedReason }: ReportedLead): boolean =>
  !entered && !tried && (stage === 'new' || closedReason === 'never contacted')
