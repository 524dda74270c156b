/**
 * `npm run bench:overload`: what the service still does when several times as many people come as it can
 * serve. They come in open loop: whether or not those before them have a response.
 */
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import type { Health } from './ask-health.ts'
import { startHaproxy } from './haproxy.ts'
import { Latencies, type Percentiles } from './latency.ts'
import { wholeNumber } from './options.ts'
import { spawnNode } from './processes.ts'
import { type Bench, startService } from './servers.ts'
import { throttle } from './throttle.ts'
import { type Visit, Visitors } from './visitor.ts'

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '10' },
    factor: { type: 'string', default: '5' },
    share: { type: 'string', default: '0.1' },
    haproxy: { type: 'boolean', default: false },
    requests: { type: 'string', default: '64' },
    waiting: { type: 'string', default: '64' },
    queue: { type: 'string', default: '2s' },
  },
})
const [seconds, factor, share] = [values.seconds, values.factor, values.share].map(Number) as [number, number, number]

/** People who wait for a response at the same time while the capacity is measured. */
const CROWD = 32

/** A client that begins one visit of a hundred later than this, in milliseconds, is slow itself. */
const LATE = 20

type Measurement = {
  /** Accepted submissions a second. */
  goodput: number
  accepted: Percentiles
  health: Health
  rejected: number
  lost: number
  /** How much later than they were due the visits began. */
  late: Percentiles
}

// Only accepting: what is still to be filed would take a different share of each measurement.
const bench: Bench = { replicas: 1, pinned: false, postgres: undefined, httpOnly: true }
const service = await startService(bench)
const [replica] = service.replicas
if (replica === undefined) throw new Error('no service')
const { ports, consolePort = ports.B } = replica
const port = ports.B
const limits = {
  requests: wholeNumber('requests', values.requests),
  waiting: wholeNumber('waiting', values.waiting),
  queue: values.queue,
}
const proxy = values.haproxy ? await startHaproxy(port, limits) : undefined
const visitors = new Visitors('B', proxy?.port ?? port)
await inCrowd(8)
const release = throttle(replica.pid, share)
if (release === undefined) print('Not throttled: the load client may be the limit.')
await inCrowd(2)
const full = await measure(seconds, inCrowd)
show('full load', full)
const over = await measure(seconds, (duration, late) => inOpenLoop(full.goodput * factor, duration, late))
show(`${factor} times that`, over)
const after = await measure(seconds / 2, inCrowd)
show('full load afterward', after)
const ratio = (one: number | null, other: number | null) => ((one ?? 0) / (other ?? 1)).toFixed(2)
print(
  `goodput ${ratio(over.goodput, full.goodput)} of full load, ` +
    `p99 ${ratio(over.accepted.p99, full.accepted.p99)} times that of full load`,
)
visitors.leave()
await proxy?.stop()
await replica.stop()
release?.()
await service.remove()

/** Runs a load for some seconds, and asks for the health meanwhile. */
async function measure(
  duration: number,
  load: (duration: number, late: Latencies) => Promise<Visit[]>,
): Promise<Measurement> {
  const [accepted, late] = [new Latencies(), new Latencies()]
  const asking = askForHealth()
  const end = performance.now() + duration * 1000
  const visits = await load(duration, late)
  const health = await asking()
  const all = Object.groupBy(visits, ({ outcome }) => outcome)
  for (const { ms } of all.accepted ?? []) accepted.record(ms)
  return {
    // Those who came last may wait for seconds: their responses are not part of what came in that time.
    goodput: (all.accepted ?? []).filter(({ at }) => at < end).length / duration,
    accepted: accepted.percentiles(),
    health,
    rejected: all.rejected?.length ?? 0,
    lost: all.lost?.length ?? 0,
    late: late.percentiles(),
  }
}

/** Begins to ask for the health. Returns how to end that, and learn how long it took. */
function askForHealth(): () => Promise<Health> {
  const program = join(import.meta.dirname, 'ask-health.ts')
  const child = spawnNode('anywhere', [program, String(consolePort)], { stdio: ['pipe', 'pipe', 'inherit'] })
  const output = text(child.stdout as NodeJS.ReadableStream)
  return async () => {
    child.stdin?.end()
    return JSON.parse(await output)
  }
}

/** A constant number of people, each followed by the next. */
async function inCrowd(duration: number): Promise<Visit[]> {
  const visits: Visit[] = []
  const end = performance.now() + duration * 1000
  const one = async () => {
    while (performance.now() < end) visits.push(await visitors.submit())
  }
  await Promise.all(Array.from({ length: CROWD }, one))
  return visits
}

/** People who come at a constant rate. */
async function inOpenLoop(perSecond: number, duration: number, late: Latencies): Promise<Visit[]> {
  const visits: Promise<Visit>[] = []
  const begun = performance.now()
  while (visits.length < duration * perSecond) {
    const due = begun + (visits.length / perSecond) * 1000
    const now = performance.now()
    if (now < due) {
      await sleep(1)
      continue
    }
    late.record(now - due)
    visits.push(visitors.submit())
  }
  return Promise.all(visits)
}

function show(name: string, measured: Measurement): void {
  const { goodput, accepted, health, rejected, lost, late } = measured
  print(
    `${name.padEnd(20)} ${goodput.toFixed(0).padStart(6)}/s accepted, ` +
      `p50 ${ms(accepted.p50)} p99 ${ms(accepted.p99)} ms; ${rejected} rejected, ${lost} lost; ` +
      `/healthz p50 ${ms(health.answer.p50)} p99 ${ms(health.answer.p99)} max ${ms(health.answer.max)} ms, ` +
      `once connected in max ${ms(health.connect.max)} ms; ` +
      `visits late by p99 ${ms(late.p99)} ms`,
  )
  if ((late.p99 ?? 0) > LATE) print('  The load client could not keep the rate: try a smaller --share.')
}

function ms(value: number | null): string {
  return value === null ? '-' : value.toFixed(0)
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
