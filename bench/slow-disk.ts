/**
 * Whether filing and email keep up with the submissions that come while each commit takes long, as on network and hard
 * disks: `node bench/slow-disk.ts`. README.md in this folder says what is measured.
 *
 * Exits with code 1 if a response was wrong.
 */
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { parseArgs } from 'node:util'
import type { LoadResult } from './load.ts'
import { startMailServer } from './mail.ts'
import { applyLoad } from './measure.ts'
import { wholeNumber } from './options.ts'
import { query, startPostgres } from './postgres.ts'
import { canPin, moveToClientCore } from './processes.ts'
import { type Bench, type Service, startService } from './servers.ts'
import { table } from './table.ts'

const { values } = parseArgs({
  options: {
    database: { type: 'string', default: 'sqlite' },
    syncs: { type: 'string', default: '0,8,25' },
    seconds: { type: 'string', default: '30' },
    rate: { type: 'string', default: '30' },
    log: { type: 'string' },
  },
})
const seconds = wholeNumber('seconds', values.seconds)
const rate = wholeNumber('rate', values.rate)

/** In the first seconds of load, the service loads what makes messages, and submissions wait for that. */
const WARM_UP = 5

const HEAD = [
  ['sync (ms)', 'intake p50 (ms)', 'p99', 'p99 alone', 'filed a second', 'emails', 'not filed', 'not sent'],
  ['notified after, p50 (s)', 'p95'],
].flat()

if (canPin) moveToClientCore()
const mail = await startMailServer(canPin ? 'client' : 'anywhere')
const rows: string[][] = []
const faults: string[] = []
for (const sync of values.syncs.split(',').map(Number)) rows.push(await measure(sync))
mail.stop()
process.stdout.write(`${table([HEAD, ...rows])}\n`)
for (const fault of faults) process.stdout.write(`${fault}\n`)
process.exit(faults.length > 0 ? 1 : 0)

/** A row of the table: intake with all that follows, and intake alone. */
async function measure(sync: number): Promise<string[]> {
  const bench = await slowBench(sync)
  const alone = await intake({ ...bench, httpOnly: true }, async () => [])
  const { load, found } = await intake(bench, whatFollowed)
  await bench.postgres?.remove()
  const latencies = [load.latency.p50, load.latency.p99, alone.load.latency.p99].map(ms => (ms ?? 0).toFixed(1))
  return [String(sync), ...latencies, ...found]
}

/** PostgreSQL waits before each flush of its log by itself; for SQLite, `slow-sync.ts` does. */
async function slowBench(sync: number): Promise<Bench> {
  // Each submission is notified, however many come.
  const env = { FRONTDESK_CONFIG: join(import.meta.dirname, '../test/support/every-notification.config.ts') }
  const bench: Bench = { replicas: 1, pinned: canPin, postgres: undefined, smtp: mail, env }
  if (values.database === 'postgres') {
    return { ...bench, postgres: await startPostgres([`commit_delay=${sync * 1000}`, 'commit_siblings=0']) }
  }
  const slow = { NODE_OPTIONS: `--import ${join(import.meta.dirname, 'slow-sync.ts')}`, SLOW_SYNC_MS: String(sync) }
  return { ...bench, env: { ...env, ...slow, ...(values.log !== undefined && { SLOW_SYNC_LOG: values.log }) } }
}

async function intake(bench: Bench, look: (service: Service) => Promise<string[]>) {
  const service = await startService(bench)
  const applied = { connections: 20, seconds, rate, warmUp: WARM_UP }
  const load: LoadResult = await applyLoad(bench, service.replicas, 'B', applied)
  const found = await look(service)
  if (load.wrong > 0) faults.push(`${load.wrong} wrong or missing responses: ${load.wrongExamples.join(' | ')}`)
  await Promise.all(service.replicas.map(server => server.stop()))
  await service.remove()
  return { load, found }
}

/** What was filed and sent by now, at the end of the load, and how long notifications took: those that wait, until now. */
async function whatFollowed({ folder, database }: Service): Promise<string[]> {
  const ask = reader(folder, database.url)
  const now = Date.now()
  const [counts] = await ask(`select (select count(*) from leads) as filed,
    (select count(*) from submissions) - (select count(*) from leads) as unfiled,
    (select count(*) from tasks where lane = 'mail' and state = 'done') as sent,
    (select count(*) from tasks where lane = 'mail' and state = 'due' and due_at < ${now}) as waiting,
    (select min(received_at) from submissions) as since`)
  const times = await ask(`select coalesce(t.finished_at, ${now}) - s.received_at as late from submissions s
    left join tasks t on t.subject = s.id and t.kind = 'notify' order by 1`)
  const at = (share: number) => (Number(times[Math.floor(times.length * share)]?.['late']) / 1000).toFixed(1)
  const perSecond = (count: unknown) => ((Number(count) * 1000) / (now - Number(counts?.['since']))).toFixed(1)
  const waiting = [counts?.['unfiled'], counts?.['waiting']].map(String)
  return [perSecond(counts?.['filed']), perSecond(counts?.['sent']), ...waiting, at(0.5), at(0.95)]
}

function reader(folder: string, url: string): (text: string) => Promise<Record<string, unknown>[]> {
  if (values.database === 'postgres') return text => query(url, text)
  const database = new DatabaseSync(join(folder, 'frontdesk.db'), { timeout: 30_000, readOnly: true })
  return async text => database.prepare(text).all()
}
