/**
 * What destinations that hang cost: intake, and how late another destination hears, beside 49 that never respond,
 * compared with the same destination alone, and with none: `node bench/destinations.ts`. README.md in this folder says
 * what is compared.
 *
 * Exits with code 1 if a response was wrong, or a delivery is missing.
 */
import { createServer } from 'node:http'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { MOST_DESTINATIONS } from '../src/destinations/deliver.ts'
import { sealSettings } from '../src/destinations/sealed-settings.ts'
import { applyLoad } from './measure.ts'
import { wholeNumber } from './options.ts'
import { query, startPostgres } from './postgres.ts'
import { canPin } from './processes.ts'
import { median } from './results.ts'
import { type Bench, startService } from './servers.ts'
import { table } from './table.ts'

/** How long the last events may take to arrive, in milliseconds. */
const LAST_ARRIVE = 60_000

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '20' },
    rounds: { type: 'string', default: '3' },
    rate: { type: 'string', default: '20' },
    database: { type: 'string', default: 'sqlite' },
  },
})
const [seconds, rounds, rate] = (['seconds', 'rounds', 'rate'] as const).map(name => wholeNumber(name, values[name]))

const SECRET_KEY = 'a secret key for a benchmark, which seals nothing'
const postgres = values.database === 'postgres' ? await startPostgres() : undefined
const bench: Bench = { replicas: 1, pinned: canPin, postgres, env: { SECRET_KEY, DESTINATION_NETWORKS: '127.0.0.0/8' } }

/** It accepts connections, and never responds. */
const hanging = createTcpServer(socket => socket.on('error', () => {}).resume())
const arrivals = new Map<string, number>()
const responding = createServer((request, response) => {
  arrivals.set(String(request.headers['idempotency-key']), Date.now())
  request.resume().on('end', () => response.writeHead(204).end())
})
for (const server of [hanging, responding]) await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
const portOf = (server: { address(): unknown }) => (server.address() as AddressInfo).port

type Run = { p50: number; p99: number; late: number[]; faults: string[] }

const ways = { none: [], alone: [portOf(responding)], beside: beside() } satisfies Record<string, number[]>
type Way = keyof typeof ways

function beside(): number[] {
  return [...Array.from({ length: MOST_DESTINATIONS - 1 }, () => portOf(hanging)), portOf(responding)]
}

const measured: Record<Way, Run[]> = { none: [], alone: [], beside: [] }
for (let round = 0; round < (rounds ?? 1); round++)
  for (const way of Object.keys(ways) as Way[]) measured[way].push(await measure(ways[way]))
for (const server of [hanging, responding]) server.close()
responding.closeAllConnections()
await postgres?.remove()

const head = ['destinations', 'intake p50 (ms)', 'p99', 'heard after, p50 (ms)', 'p99', 'max']
const names: Record<Way, string> = { none: 'none', alone: '1', beside: `1 and ${MOST_DESTINATIONS - 1} that hang` }
const rows = (Object.keys(ways) as Way[]).map(way => {
  const runs = measured[way]
  const late = runs.flatMap(one => one.late).toSorted((one, other) => one - other)
  const at = (share: number) => String(late[Math.min(late.length - 1, Math.floor(late.length * share))] ?? '–')
  const of = (which: 'p50' | 'p99') => median(runs.map(one => one[which])).toFixed(2)
  return [names[way], of('p50'), of('p99'), at(0.5), at(0.99), at(1)]
})
process.stdout.write(`${table([head, ...rows])}\n`)
const faults = Object.values(measured).flatMap(runs => runs.flatMap(one => one.faults))
for (const fault of faults) process.stdout.write(`${fault}\n`)
process.exit(faults.length > 0 ? 1 : 0)

/** Intake with destinations at these ports; the last one responds. */
async function measure(ports: readonly number[]): Promise<Run> {
  const service = await startService(bench)
  const { ask, close } = questionsTo(service.database.url)
  for (const [index, port] of ports.entries()) await ask(aDestination(index, port))
  const load = await applyLoad(bench, service.replicas, 'B', {
    connections: 10,
    seconds: seconds ?? 1,
    rate: rate ?? 1,
  })
  const last = `select event_id, at from deliveries where destination_id = ${ports.length}`
  const expected = async () => (ports.length === 0 ? [] : ask(last))
  const isThere = async () => {
    const events = await expected()
    const all = ports.length === 0 || events.length === load.accepted
    return all && events.every(one => arrivals.has(String(one['event_id'])))
  }
  for (const end = Date.now() + LAST_ARRIVE; !(await isThere()) && Date.now() < end; ) await sleep(100)
  const late = (await expected()).flatMap(one => {
    const at = arrivals.get(String(one['event_id']))
    return at === undefined ? [] : Math.max(0, at - Number(one['at']))
  })
  const faults = [
    ...(load.wrong > 0 ? [`${load.wrong} wrong or missing responses: ${load.wrongExamples.join(' | ')}`] : []),
    ...((await isThere()) ? [] : [`${late.length} of ${load.accepted} events arrived`]),
  ]
  close()
  await Promise.all(service.replicas.map(server => server.stop()))
  await service.remove()
  return { p50: load.latency.p50 ?? 0, p99: load.latency.p99 ?? 0, late, faults }
}

type Row = Record<string, unknown>

/** Asks the database of the service, beside it. */
function questionsTo(url: string): { ask: (text: string) => Promise<Row[]>; close: () => void } {
  if (postgres !== undefined) return { ask: text => query(url, text), close: () => {} }
  const database = new DatabaseSync(url.replace(/^sqlite:/, ''), { timeout: 30_000 })
  return { ask: async text => database.prepare(text).all(), close: () => database.close() }
}

function aDestination(index: number, port: number): string {
  const url = `http://127.0.0.1:${port}/`
  const sealed = sealSettings(SECRET_KEY, String(index), {
    values: { url, verb: 'POST', type: 'application/json', headers: '', body: '{"lead": {{ lead.id }}}' },
  })
  const filter = '{"kind": null, "stages": [], "states": [], "programs": [], "tags": []}'
  return `insert into destinations (ref, kind, name, host, sealed, filter, events, fields, created_at)
    values ('${index}', 'request', 'Number ${index}', '127.0.0.1', '${sealed}', '${filter}', '["lead.created"]', '[]', 1)`
}
