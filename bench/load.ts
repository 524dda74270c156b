/**
 * The load client, which is a separate process so that it can have its own core. It takes LoadOptions as
 * JSON in argv and prints a LoadResult as JSON.
 *
 * Without `rate` the loop is closed: each connection sends its next request when it has its response.
 * With `rate` it is open: requests are due at fixed times no matter what the server does, and latency
 * counts from the time a request was due, so that a stall counts against every request it delays.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Percentiles } from './latency.ts'
import { cpuSeconds, familyCpuSeconds } from './processes.ts'
import type { Operation } from './requests.ts'
import { type Schedule, Traffic } from './traffic.ts'

export type LoadOptions = {
  operation: Operation
  /** Each gets the same share of the connections. */
  servers: { port: number; pid: number }[]
  /** The database server's main process, if there is one. */
  databasePid?: number | undefined
  connections: number
  /** Load before measuring begins, in seconds. */
  warmUp: number
  seconds: number
  /** Requests per second. By default, as many as the server can handle. */
  rate?: number
}

/** `perSecond`: correct responses. */
export type Pace = {
  perSecond: number
  /** Shares of one core, for all servers together. Absent if the system does not report them. */
  cpu: { client: number; server?: number; database?: number }
}

/** Its pace is over the measured time; `first` and `warm` are the two halves of that. */
export type LoadResult = Pace & {
  first: Pace
  warm: Pace
  /** In milliseconds, for the requests due in the measured time. */
  latency: Percentiles
  /** Correct responses in total, including the warm-up. */
  accepted: number
  /** Wrong and missing responses in total, and the first few of them. */
  wrong: number
  wrongExamples: string[]
}

process.stdout.write(JSON.stringify(await load(JSON.parse(process.argv[2] ?? '{}'))))

async function load(options: LoadOptions): Promise<LoadResult> {
  const traffic = new Traffic()
  const ports = options.servers.map(server => server.port)
  await traffic.connect(options.operation, ports, options.connections)
  const begin = performance.now()
  const measureFrom = begin + options.warmUp * 1000
  const end = measureFrom + options.seconds * 1000
  const schedule = options.rate === undefined ? closed(end) : open(begin, end, options.rate)

  traffic.start(schedule, measureFrom)
  await sleep(measureFrom - performance.now())
  const before = snapshot(traffic, options)
  await sleep((measureFrom + end) / 2 - performance.now())
  const middle = snapshot(traffic, options)
  await sleep(end - performance.now())
  const after = snapshot(traffic, options)
  await traffic.finish()

  const { accepted, wrong, wrongExamples } = traffic
  const latency = traffic.latencies.percentiles()
  const [first, warm] = [between(before, middle), between(middle, after)]
  return { ...between(before, after), first, warm, latency, accepted, wrong, wrongExamples }
}

function closed(end: number): Schedule {
  return { next: now => (now < end ? now : undefined), sent: () => {} }
}

function open(begin: number, end: number, rate: number): Schedule {
  let due = begin
  return {
    next: () => (due < end ? due : undefined),
    sent: () => {
      due += 1000 / rate
    },
  }
}

function snapshot(traffic: Traffic, { servers, databasePid }: LoadOptions) {
  const used = servers.map(server => cpuSeconds(server.pid))
  const known = used.filter(seconds => seconds !== undefined)
  const { user, system } = process.cpuUsage()
  return {
    at: performance.now(),
    accepted: traffic.accepted,
    client: (user + system) / 1e6,
    server: known.length < used.length ? undefined : known.reduce((sum, one) => sum + one, 0),
    database: databasePid === undefined ? undefined : familyCpuSeconds(databasePid),
  }
}

type Snapshot = ReturnType<typeof snapshot>

function between(before: Snapshot, after: Snapshot): Pace {
  const seconds = (after.at - before.at) / 1000
  const cpu: Pace['cpu'] = { client: (after.client - before.client) / seconds }
  for (const part of ['server', 'database'] as const) {
    const [from, to] = [before[part], after[part]]
    if (from !== undefined && to !== undefined) cpu[part] = (to - from) / seconds
  }
  return { perSecond: (after.accepted - before.accepted) / seconds, cpu }
}
