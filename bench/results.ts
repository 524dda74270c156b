/** The results of a run, the conclusions from them, and how they compare with the targets. */
import type { LoadResult, Pace } from './load.ts'
import type { IdleRun, ServiceRun } from './measure.ts'
import type { Operation } from './requests.ts'

/** Both servers under the same load, one after the other, and what people write by hand, if that was asked for. */
export type Round = { bare: LoadResult; service: ServiceRun; byHand?: ServiceRun | undefined }

/** The results for one operation: under as much load as the servers can take, and under a moderate one. */
export type Comparison = { operation: Operation; rounds: Round[]; moderate: Round[] }

export type Target = { name: string; value: number | null; limit: string; met: boolean }

/** The machine and the options of the run. */
export type Setting = {
  node: string
  processor: string
  cores: number
  /** The engine, as people call it. */
  database: string
  /** What becomes of messages. */
  mail: string
  postgres: boolean
  /** Servers of each kind that shared the load. */
  replicas: number
  /** The server had one core to itself, and everything else had another. */
  pinned: boolean
  /** The database was in memory, not on a disk. */
  inMemory: boolean
}

export type Results = {
  setting: Setting
  idle: IdleRun
  comparisons: Comparison[]
  startMs: number[]
  targets: Target[]
  /** Why the figures may say less than they seem to. */
  notes: string[]
  /** Everything that went wrong. */
  faults: string[]
}

export function concludeFrom(idle: IdleRun, comparisons: Comparison[], setting: Setting): Results {
  const runs = comparisons.flatMap(serviceRuns)
  const startMs = [idle, ...runs].map(run => run.startMs)
  return {
    setting,
    idle,
    comparisons,
    startMs,
    targets: [...comparisons.flatMap(one => loadTargets(one, setting)), ...idleTargets(idle, startMs)],
    notes: [...settingNotes(setting), ...comparisons.flatMap(comparison => limitNotes(comparison, setting))],
    faults: comparisons.flatMap(faultsOf),
  }
}

export const serviceRuns = ({ rounds, moderate }: Comparison): ServiceRun[] =>
  [...rounds, ...moderate].map(({ service }) => service)

const allRuns = (comparison: Comparison): ServiceRun[] => [
  ...serviceRuns(comparison),
  ...comparison.rounds.flatMap(({ byHand }) => byHand ?? []),
]

export const ratioOf = ({ bare, service }: Record<'bare' | 'service', Pace>): number =>
  service.perSecond / bare.perSecond

/** CPU time for each request, in microseconds. NaN if the system does not report it. */
export const costOf = ({ perSecond, cpu }: Pace, part: 'server' | 'database' = 'server'): number =>
  ((cpu[part] ?? Number.NaN) / perSecond) * 1e6

/** By how much the 99th percentile of the service is above the bare server's in the same round, in milliseconds. */
export const delayOf = ({ bare, service }: Round): number =>
  (service.latency.p99 ?? Number.NaN) - (bare.latency.p99 ?? 0)

export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const [low, high] = [(sorted.length - 1) >> 1, sorted.length >> 1]
  return ((sorted[low] ?? Number.NaN) + (sorted[high] ?? Number.NaN)) / 2
}

const faultsOf = (comparison: Comparison): string[] =>
  allRuns(comparison).flatMap(run => run.faults.map(what => `${comparison.operation}: ${what}`))

function loadTargets({ operation, rounds, moderate }: Comparison, { postgres, inMemory }: Setting): Target[] {
  const ratio = median(rounds.map(ratioOf))
  const [least, longest] = [postgres ? 0.27 : 0.33, inMemory ? 8 : 15]
  const share = median(rounds.map(({ bare, service }) => costOf(bare.warm) / costOf(service.warm)))
  const delay = median(moderate.map(delayOf))
  return [
    target(`${operation}: rate against the bare server`, ratio, `at least ${least}`, ratio >= least),
    target(`${operation}: CPU of the bare server against ours, warm`, share, 'at least 0.6', share >= 0.6),
    target(
      `${operation}: p99 at a moderate load, above the bare server, ms`,
      delay,
      `at most ${longest}`,
      delay <= longest,
    ),
  ]
}

const target = (name: string, value: number, limit: string, met: boolean): Target => ({ name, value, limit, met })

function idleTargets({ memory }: IdleRun, startMs: number[]): Target[] {
  const start = median(startMs)
  return [
    { name: 'idle memory, MB', value: memory, limit: 'below 100', met: memory < 100 },
    { name: 'start to first response, ms', value: start, limit: 'below 1000', met: start < 1000 },
  ]
}

function settingNotes({ pinned, postgres, replicas, inMemory }: Setting): string[] {
  const notes: string[] = []
  if (replicas > 1) notes.push(SHARED_MACHINE)
  else if (!pinned) notes.push(NOT_PINNED)
  else if (postgres) notes.push(SHARED_CORE)
  if (inMemory) notes.push(IN_MEMORY)
  return notes
}

const NOT_PINNED = 'not pinned to cores, which needs Linux, taskset and two cores: the servers may use more than one.'
const SHARED_MACHINE = 'nothing was pinned: the servers, the load client and PostgreSQL shared all cores.'
const SHARED_CORE =
  "PostgreSQL shared the load client's core. If the two fill it, the service waits and the ratio is too low."
const IN_MEMORY = 'the temporary folder is in memory, where a commit costs nothing: set TMPDIR to one on a disk.'

/** A bare server that is not busy was limited by something else, which flatters the ratio. */
function limitNotes({ operation, rounds }: Comparison, setting: Setting): string[] {
  const limited = rounds.filter(({ bare: { cpu } }) => (cpu.server ?? 9) < busyShare(setting, cpu.client))
  if (limited.length === 0) return []
  const clientBusy = limited.some(({ bare }) => bare.cpu.client > 0.95)
  const cause = clientBusy ? 'the load client was the limit' : 'other processes used the cores'
  return [`${operation}: the bare server was not busy in ${limited.length} rounds, because ${cause}.`]
}

/** Several servers and the client share all cores, so the servers can use only the rest. */
const busyShare = ({ replicas, cores }: Setting, client: number): number =>
  replicas === 1 ? 0.9 : Math.min(0.9 * replicas, 0.9 * cores - client)
