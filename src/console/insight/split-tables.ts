/** The tables of insight: the same cells for the page and for CSV. */
import type { Settings } from '../../config/settings.ts'
import { type ContactTimes, contactBands } from '../../follow-up/times-to-reach.ts'
import { answerNamed } from '../../leads/body/ranked-answers.ts'
import { stateName } from '../../leads/body/states.ts'
import { type Kind, kinds } from '../../leads/body/submission.ts'
import { capital } from '../../leads/body/tidy-text.ts'
import { ownerName } from '../../leads/lead/staff.ts'
import { stages } from '../../leads/lead/stages.ts'
import { MINUTE } from '../../platform/time.ts'
import type { Insight, Split, Tally } from '../../store/insight/insight.ts'

export type SplitName = keyof Insight['by']

export const splitTitles: Record<SplitName, string> = {
  counselor: 'Counselor',
  source: 'Came from',
  program: 'Program',
  form: 'Form',
  heard: 'Heard of us',
  campaign: 'Campaign',
  state: 'State',
  entered: 'Came from',
}

/** The names of the stages of a kind. For both kinds together, names of corresponding stages are joined. */
export function stageNames(kind: Kind | undefined): string[] {
  const names = (of: Kind) => stages[of].filter(stage => stage !== 'closed').map(inWords)
  if (kind !== undefined) return names(kind)
  const sites = names('site')
  return names('student').map((name, index) =>
    name === sites[index] ? name : `${name} or ${sites[index]?.toLowerCase()}`,
  )
}

/** The names for people who were imported or entered by hand: they did not write in. */
export const namesOfEntered = (kind: Kind | undefined): string[] => stageNames(kind).with(0, 'Imported or entered')

const inWords = (stage: string): string => ({ new: 'Wrote in', contacted: 'Reached' })[stage] ?? capital(stage)

export type SplitRow = Tally & { name: string; value: string | undefined }

/** The rows of a split; values whose people came furthest come first. A row without a value has a name that says so. */
export function splitRows(by: SplitName, { values, others }: Split, settings: Settings): SplitRow[] {
  const rows = values.map(tally => ({ ...tally, name: nameOf(by, tally.value, settings) }))
  const last = ({ stages: at }: Tally) => at.at(-1) ?? 0
  return [
    ...rows.toSorted((one, other) => last(other) - last(one) || other.leads - one.leads),
    ...(others === undefined ? [] : [{ ...others, name: 'All others', value: undefined }]),
  ]
}

function nameOf(by: SplitName, value: string, settings: Settings): string {
  if (by === 'counselor') return capital(ownerName(value || null, settings.admissions))
  if (value === '') return 'Not known'
  const { states, answers } = settings.studentInterest
  if (by === 'state') return stateName(value, states)
  return by === 'heard' ? answerNamed(value, answers.source?.allowed) : value
}

type Row = Record<string, string | number>

/** The tables that can be downloaded, by their names in the URL. */
export function csvTables(insight: Insight, kind: Kind | undefined, settings: Settings): Record<string, Row[]> {
  const splits = Object.keys(splitTitles) as SplitName[]
  const names = stageNames(kind)
  return {
    days: insight.days.map(({ day, kind, leads }) => ({ Day: day, Kind: kind, 'Wrote in': leads })),
    times: [
      { Hours: 'school hours', ...timeCells(insight.all.working) },
      { Hours: 'all hours', ...timeCells(insight.all.wall) },
    ],
    stages: kinds
      .filter(one => kind === undefined || one === kind)
      .flatMap(one =>
        stageNames(one).map((Stage, index) => ({ Kind: one, Stage, Leads: insight.byKind[one].stages[index] ?? 0 })),
      ),
    ...Object.fromEntries(
      splits.map(by => [
        by,
        splitRows(by, insight.by[by], settings).map(row => ({
          [splitTitles[by]]: row.name,
          ...Object.fromEntries(
            (by === 'entered' ? namesOfEntered(kind) : names).map((name, index) => [name, row.stages[index] ?? 0]),
          ),
          'Not reached yet': row.waiting,
          'Closed before anyone reached them': row.closed,
          ...percentiles('school hours', row.working),
          ...percentiles('all hours', row.wall),
        })),
      ]),
    ),
  }
}

const timeCells = (times: ContactTimes): Row => ({
  Reached: times.count,
  ...Object.fromEntries(contactBands.map((band, index) => [capital(band), times.bands[index] ?? 0])),
  ...percentiles('', times),
})

const percentiles = (hours: string, { p50, p95 }: ContactTimes): Row => {
  const title = (what: string) => `${what} within (minutes${hours && `, ${hours}`})`
  return { [title('Half')]: minutes(p50), [title('95%')]: minutes(p95) }
}

/** A duration in a downloaded table; empty if there is none. */
export const minutes = (duration: number | null) => (duration === null ? '' : Math.ceil(duration / MINUTE))
