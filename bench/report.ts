/** The results as text. */
import type { LoadResult } from './load.ts'
import { paths } from './requests.ts'
import { type Comparison, median, type Results, ratioOf, serviceRuns } from './results.ts'
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

/** One column has the CPU shares of servers, client and PostgreSQL. */
const headings = 'bare/s service/s ratio p50(ms) p90 p99 max cpu:bare+client service+client(+pg)'

function comparison({ operation, rounds, moderate }: Comparison): string {
  const rows = rounds.map((round, index) => [
    `round ${index + 1}`,
    round.bare.perSecond.toFixed(0),
    round.service.perSecond.toFixed(0),
    ratioOf(round).toFixed(2),
    ...latencies(round.service),
    shares(round.bare),
    shares(round.service),
  ])
  const middle = ['median', '', '', median(rounds.map(ratioOf)).toFixed(2)]
  const rate = moderate.perSecond.toFixed(0)
  const paced = ['moderate', '', rate, '', ...latencies(moderate), '', shares(moderate)]
  const lines = table([['', ...headings.split(' ')], ...rows, middle, paced])
  return `${operation}: POST ${paths[operation]}\n\n${lines}`
}

const latencies = ({ latency: { p50, p90, p99, max } }: LoadResult): string[] =>
  [p50, p90, p99, max].map(milliseconds => milliseconds?.toFixed(2) ?? 'none')

const shares = ({ cpu: { server, client, database } }: LoadResult): string =>
  [percent(server), percent(client), ...(database === undefined ? [] : [percent(database)])].join('+')

const percent = (share: number | undefined): string => (share === undefined ? '?' : `${(share * 100).toFixed(0)}%`)

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
