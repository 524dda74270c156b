/**
 * Whether filing and email keep up with the submissions that come while each sync of SQLite takes long, as on network and
 * hard disks: `node bench/slow-disk.ts`. README.md in this folder says what is measured.
 *
 * Exits with code 1 if a response was wrong.
 */
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { parseArgs } from 'node:util'
import { startMailServer } from './mail.ts'
import { applyLoad } from './measure.ts'
import { wholeNumber } from './options.ts'
import { canPin } from './processes.ts'
import { type Bench, startService } from './servers.ts'
import { table } from './table.ts'

const { values } = parseArgs({
  options: {
    syncs: { type: 'string', default: '0,8,25' },
    seconds: { type: 'string', default: '30' },
    rate: { type: 'string', default: '30' },
    log: { type: 'string' },
  },
})
const seconds = wholeNumber('seconds', values.seconds)
const rate = wholeNumber('rate', values.rate)
const syncs = values.syncs.split(',').map(Number)

const mail = await startMailServer(canPin ? 'client' : 'anywhere')
const rows: string[][] = []
const faults: string[] = []
for (const sync of syncs) rows.push(await measure(sync))
mail.stop()
process.stdout.write(
  `${table([['sync (ms)', 'p50', 'p99', 'emails a second', 'filed a second', 'not filed', 'not sent', 'notified after, p50 (s)', 'p95'], ...rows])}\n`,
)
for (const fault of faults) process.stdout.write(`${fault}\n`)
process.exit(faults.length > 0 ? 1 : 0)

async function measure(sync: number): Promise<string[]> {
  const bench: Bench = {
    replicas: 1,
    pinned: canPin,
    postgres: undefined,
    smtp: mail,
    env: {
      NODE_OPTIONS: `--import ${join(import.meta.dirname, 'slow-sync.ts')}`,
      SLOW_SYNC_MS: String(sync),
      ...(values.log !== undefined && { SLOW_SYNC_LOG: values.log }),
    },
  }
  const service = await startService(bench)
  const database = new DatabaseSync(join(service.folder, 'frontdesk.db'), { timeout: 30_000, readOnly: true })
  const one = (text: string) => Number(Object.values(database.prepare(text).get() ?? {})[0] ?? 0)
  const began = Date.now()
  const load = await applyLoad(bench, service.replicas, 'B', { connections: 20, seconds, rate })
  const took = (Date.now() - began) / 1000
  const filed = one(`select count(*) from leads`)
  const sent = one(`select count(*) from tasks where lane = 'mail' and state = 'done'`)
  const waiting = one(`select count(*) from tasks where lane = 'mail' and state = 'due' and due_at < ${Date.now()}`)
  const notFiled = one('select count(*) from submissions') - filed
  const late = database
    .prepare(
      `select t.finished_at - s.received_at as late from tasks t join submissions s on s.id = t.subject
        where t.kind = 'notify' and t.state = 'done' order by late`,
    )
    .all()
    .map(row => Number(row['late']) / 1000)
  const at = (share: number) => late[Math.floor(late.length * share)]?.toFixed(1) ?? '–'
  database.close()
  if (load.wrong > 0) faults.push(`${load.wrong} wrong or missing responses: ${load.wrongExamples.join(' | ')}`)
  await Promise.all(service.replicas.map(server => server.stop()))
  await service.remove()
  const [p50, p99] = [load.latency.p50, load.latency.p99].map(ms => (ms ?? 0).toFixed(1))
  const perSecond = (count: number) => (count / took).toFixed(1)
  const waited = [String(notFiled), String(waiting), at(0.5), at(0.95)]
  return [String(sync), p50 ?? '', p99 ?? '', perSecond(sent), perSecond(filed), ...waited]
}
