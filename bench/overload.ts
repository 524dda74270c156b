/**
 * `npm run bench:overload`: what the service still does when several times as many people come as it can
 * serve. They come in open loop: whether or not those before them have a response.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { Latencies, type Percentiles } from './latency.ts'
import { type Bench, startService } from './servers.ts'
import { throttle } from './throttle.ts'
import { askHealth, type Visit, Visitors } from './visitor.ts'

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '10' },
    factor: { type: 'string', default: '5' },
    share: { type: 'string', default: '0.3' },
  },
})
const [seconds, factor, share] = [values.seconds, values.factor, values.share].map(Number) as [
  number,
  number,
  number,
]

/** People who wait for a response at the same time while the capacity is measured. */
const CROWD = 32

/** How often /healthz is asked during the measurements, in milliseconds. */
const HEALTH_EVERY = 100

type Measurement = {
  /** Accepted submissions a second. */
  goodput: number
  accepted: Percentiles
  health: Percentiles
  rejected: number
  lost: number
}

const bench: Bench = { replicas: 1, pinned: false, postgres: undefined }
const service = await startService(bench)
const [replica] = service.replicas
if (replica === undefined) throw new Error('no service')
const { ports, consolePort = ports.B } = replica
const port = ports.B
const visitors = new Visitors('B', port)
await inCrowd(8)
const release = throttle(replica.pid, share)
if (release === undefined) print('Not throttled: the load client may be the limit.')
await inCrowd(2)
const full = await measure(() => inCrowd(seconds))
show('full load', full)
const over = await measure(() => inOpenLoop(full.goodput * factor))
show(`${factor} times that`, over)
const after = await measure(() => inCrowd(seconds / 2))
show('full load afterward', after)
const ratio = (one: number | null, other: number | null) => ((one ?? 0) / (other ?? 1)).toFixed(2)
print(
  `goodput ${ratio(over.goodput, full.goodput)} of full load, ` +
    `p99 ${ratio(over.accepted.p99, full.accepted.p99)} times that of full load`,
)
visitors.leave()
await replica.stop()
release?.()
await service.remove()

/** Runs a load, and asks for the health meanwhile. */
async function measure(load: () => Promise<Visit[]>): Promise<Measurement> {
  const [accepted, health] = [new Latencies(), new Latencies()]
  const asking = setInterval(async () => health.record(await askHealth(consolePort)), HEALTH_EVERY)
  const begun = performance.now()
  const visits = await load()
  const elapsed = (performance.now() - begun) / 1000
  clearInterval(asking)
  const count = (outcome: Visit['outcome']) =>
    visits.filter(visit => visit.outcome === outcome).length
  for (const { outcome, ms } of visits) if (outcome === 'accepted') accepted.record(ms)
  return {
    goodput: count('accepted') / elapsed,
    accepted: accepted.percentiles(),
    health: health.percentiles(),
    rejected: count('rejected'),
    lost: count('lost'),
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
async function inOpenLoop(perSecond: number): Promise<Visit[]> {
  const visits: Promise<Visit>[] = []
  const begun = performance.now()
  for (let elapsed = 0; elapsed < seconds * 1000; elapsed = performance.now() - begun) {
    while (visits.length < (elapsed / 1000) * perSecond) visits.push(visitors.submit())
    await sleep(1)
  }
  return Promise.all(visits)
}

function show(name: string, { goodput, accepted, health, rejected, lost }: Measurement): void {
  const ms = (value: number | null) => (value === null ? '-' : value.toFixed(0))
  print(
    `${name.padEnd(20)} ${goodput.toFixed(0).padStart(6)}/s accepted, ` +
      `p50 ${ms(accepted.p50)} p99 ${ms(accepted.p99)} ms; ${rejected} rejected, ${lost} lost; ` +
      `/healthz p50 ${ms(health.p50)} p99 ${ms(health.p99)} max ${ms(health.max)} ms`,
  )
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
