/** The results as text. */
import type { LoadResult, Pace } from './load.ts'
import { paths } from './requests.ts'
import { type Comparison, costOf, delayOf, median, type Results, type Round, ratioOf, serviceRuns } from './results.ts'
import { table } from './table.ts'

export function report(results: Results): string {
  const parts = [
    heading(results),
    ...results.comparisons.map(comparison),
    figures(results),
    targets(results),
    ...results.notes.map(note => `Note: ${note}`),
    verdict(results),
  ]
  return `\n${parts.join('\n\n')}\n`
}

function heading({ setting: { node, processor, database, mail, replicas } }: Results): string {
  const servers = replicas === 1 ? 'one server' : `${replicas} servers`
  return `Node.js ${node} on ${processor}; ${servers} of each kind, the service on ${database}, its mail ${mail}`
}

const headings = 'bare/s service/s ratio p50(ms) p90 p99 max'

/** CPU time in microseconds for each request, of PostgreSQL, too. */
const costHeadings = 'bare service(+pg) bare/service'

const pacedHeadings = 'service/s p50(ms) p90 p99 max p99:bare difference µs'

function comparison({ operation, rounds, moderate }: Comparison): string {
  const rows = rounds.map((round, index) => [
    `round ${index + 1}`,
    round.bare.perSecond.toFixed(0),
    round.service.perSecond.toFixed(0),
    ratioOf(round).toFixed(2),
    ...latencies(round.service),
  ])
  const byHand = rounds.flatMap(({ bare, byHand }, index) =>
    byHand === undefined
      ? []
      : [
          [
            `by hand ${index + 1}`,
            '',
            byHand.perSecond.toFixed(0),
            ratioOf({ bare, service: byHand }).toFixed(2),
            ...latencies(byHand),
          ],
        ],
  )
  const middle = ['median', '', '', median(rounds.map(ratioOf)).toFixed(2)]
  const parts = [
    `${operation}: POST ${paths[operation]}`,
    table([['', ...headings.split(' ')], ...rows, middle, ...byHand]),
    `CPU µs for each request, medians\n${table([['', ...costHeadings.split(' ')], ...costs(rounds)])}`,
    `${operation}, at a moderate load\n${table([['', ...pacedHeadings.split(' ')], ...moderate.map(paced), difference(moderate)])}`,
  ]
  return parts.join('\n\n')
}

function costs(rounds: Comparison['rounds']): string[][] {
  const row = (name: string, half: (run: LoadResult) => Pace) => {
    const database = median(rounds.map(({ service }) => costOf(half(service), 'database')))
    const service = median(rounds.map(round => costOf(half(round.service))))
    return [
      name,
      median(rounds.map(({ bare }) => costOf(half(bare)))).toFixed(1),
      `${service.toFixed(1)}${Number.isNaN(database) ? '' : `+${database.toFixed(1)}`}`,
      median(rounds.map(round => costOf(half(round.bare)) / costOf(half(round.service)))).toFixed(2),
    ]
  }
  const byHand = rounds.flatMap(({ byHand }) => byHand ?? [])
  return [
    row('first seconds', run => run.first),
    row('warm', run => run.warm),
    ...(byHand.length === 0 ? [] : [['by hand, warm', '', median(byHand.map(run => costOf(run.warm))).toFixed(1)]]),
  ]
}

const paced = (round: Round, index: number): string[] => [
  `pair ${index + 1}`,
  round.service.perSecond.toFixed(0),
  ...latencies(round.service),
  round.bare.latency.p99?.toFixed(2) ?? 'none',
  delayOf(round).toFixed(2),
  costOf(round.service).toFixed(0),
]

const difference = (moderate: Round[]): string[] => [
  'median',
  '',
  '',
  '',
  '',
  '',
  '',
  median(moderate.map(delayOf)).toFixed(2),
]

const latencies = ({ latency: { p50, p90, p99, max } }: LoadResult): string[] =>
  [p50, p90, p99, max].map(milliseconds => milliseconds?.toFixed(2) ?? 'none')

function figures({ idle, comparisons, startMs }: Results): string {
  const runs = comparisons.flatMap(serviceRuns)
  const memory = runs.map(run => run.memoryAfter)
  const stop = runs.map(run => run.stopMs)
  return [
    `memory    idle ${idle.memory.toFixed(0)} MB, after load ${spread(memory)} MB`,
    `start     first response after ${spread(startMs)} ms`,
    `stop      idle ${idle.stopMs.toFixed(0)} ms, after load ${spread(stop)} ms`,
  ].join('\n')
}

const spread = (values: number[]): string => {
  const [least, most] = [Math.min(...values), Math.max(...values)].map(value => value.toFixed(0))
  return `${median(values).toFixed(0)} (median of ${values.length}, ${least} to ${most})`
}

function targets(results: Results): string {
  const rows = results.targets.map(({ name, value, limit, met }) => [
    name,
    value?.toFixed(2) ?? 'none',
    limit,
    met ? 'met' : 'NOT MET',
  ])
  return table([['target', 'found', 'limit', ''], ...rows])
}

function verdict({ comparisons, faults }: Results): string {
  const runs = comparisons.flatMap(serviceRuns)
  const stored = runs.reduce((sum, run) => sum + run.stored, 0)
  const accepted = runs.reduce((sum, run) => sum + run.accepted, 0)
  const counted = `${accepted} requests got a 200, ${stored} submissions are stored`
  if (faults.length === 0) return `Right: ${counted}, and there was no other response.`
  return `WRONG: ${counted}.\n${faults.map(fault => `- ${fault}`).join('\n')}`
}
