/**
 * Imports a list in the console while people keep sending inquiries: how long it takes, and what it does to the
 * latency of the inquiries. README.md in this folder says what is measured.
 *
 * Exits with code 1 if a response was wrong, or rows are missing.
 */
import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import type { Import } from '../src/store/imports/imports.ts'
import { openStore } from '../src/store/open-store.ts'
import type { Store } from '../src/store/store.ts'
import { wholeNumber } from './options.ts'
import { startPostgres } from './postgres.ts'
import { canPin, moveToClientCore } from './processes.ts'
import { paths } from './requests.ts'
import { type Server, startService } from './servers.ts'
import { table } from './table.ts'

/** An inquiry comes this often, in milliseconds. */
const EVERY = 50

const { values } = parseArgs({
  options: {
    database: { type: 'string', default: 'sqlite' },
    rows: { type: 'string', default: '100000' },
    seconds: { type: 'string', default: '10' },
  },
})
const rows = wholeNumber('rows', values.rows)
const seconds = wholeNumber('seconds', values.seconds)

if (canPin) moveToClientCore()
const postgres = values.database === 'postgres' ? await startPostgres() : undefined
const service = await startService({ replicas: 1, pinned: canPin, postgres })
const [server] = service.replicas as [Server]
const { url } = service.database
const store = await openStore(
  postgres ? { engine: 'postgres', url } : { engine: 'sqlite', file: url.replace(/^sqlite:/, '') },
)
const cookie = await signIn(store)
/** What was wrong and how often, in the order of the first times. */
const wrong = new Map<string, number>()
let part = ''

const measured: string[][] = []
// The console is loaded with its first request.
await fetch(`http://127.0.0.1:${server.consolePort}/import`, { headers: { cookie } })
// So is what handles an inquiry, and what follows from it.
await during('warming up', () => sleep(seconds * 1000))
const idle = await during('nothing else', () => sleep(seconds * 1000))
measured.push(line('nothing else', idle))
const form = new FormData()
form.set('file', new File([list()], 'fair.csv'))
const uploaded = await during('upload', async () => {
  const response = await send('/import', form)
  if (response.headers.get('location') !== '/import/1') await note('upload', response)
})
measured.push(line('upload', uploaded))
const plan = new URLSearchParams({
  kind: 'student',
  source: 'Fair',
  'column-0': 'firstName',
  'column-1': 'lastName',
  'column-2': 'email',
  'column-3': 'phone',
  'column-4': 'state',
  'column-5': 'message',
})
measured.push(line('check', await during('check', () => pass('check', 'checked', plan))))
measured.push(line('import', await during('import', () => pass('start', 'done'))))
const imported = (await store.readImport(1))?.counts.opened
measured.push(line('undo', await during('undo', () => pass('undo', 'undone'))))
await store.close()
await server.stop()
await service.remove()
await postgres?.remove()

const head = ['', 'seconds', 'rows/s', 'p50 (ms)', 'p95', 'p99', 'most', 'p50 ratio', 'p95 ratio']
process.stdout.write(`\n${values.database}, ${rows} rows\n\n${table([head, ...measured])}\n`)
for (const [what, times] of wrong) process.stdout.write(`wrong ${times} times: ${what}\n`)
if (imported !== rows) process.stdout.write(`${imported} rows were imported\n`)
if (wrong.size > 0 || imported !== rows) process.exitCode = 1

type Measured = { took: number; latencies: number[] }

/** Does something while inquiries come at fixed times; each latency counts from the moment it was due. */
async function during(name: string, work: () => Promise<unknown>): Promise<Measured> {
  part = name
  const latencies: number[] = []
  const under: Promise<void>[] = []
  const began = performance.now()
  let working = true
  const done = work().finally(() => {
    working = false
  })
  for (let due = began; working; due += EVERY) {
    await sleep(Math.max(0, due - performance.now()))
    const answered = inquire().catch(error => count(`an inquiry during ${part}: ${error.cause ?? error}`))
    under.push(answered.then(() => void latencies.push(performance.now() - due)))
  }
  await done
  const took = performance.now() - began
  await Promise.all(under)
  return { took, latencies: latencies.sort((one, other) => one - other) }
}

function line(name: string, { took, latencies }: Measured): string[] {
  const at = (share: number, { latencies: all }: Measured) =>
    all[Math.min(all.length - 1, Math.floor(all.length * share))] ?? 0
  const own = { took, latencies }
  return [
    name,
    (took / 1000).toFixed(1),
    name === 'nothing else' ? '' : `${Math.round((rows / took) * 1000)}`,
    ...[0.5, 0.95, 0.99, 1].map(share => at(share, own).toFixed(1)),
    ...[0.5, 0.95].map(share => (at(share, own) / at(share, idle ?? own)).toFixed(2)),
  ]
}

async function inquire(): Promise<void> {
  const id = randomUUID()
  const body = {
    firstName: 'Amina',
    lastName: 'Okafor',
    email: `${id}@example.com`,
    phone: '(312) 555-0142',
    state: 'IL',
    idempotencyKey: id,
  }
  const response = await fetch(`http://127.0.0.1:${server.ports.B}${paths.B}`, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  })
  if (response.status === 200) await response.arrayBuffer()
  else await note('an inquiry', response)
}

async function pass(
  action: 'check' | 'start' | 'undo',
  end: Import['state'],
  body = new URLSearchParams(),
): Promise<void> {
  const response = await send(`/import/1/${action}`, body)
  if (response.status !== 303) await note(action, response)
  while ((await store.readImport(1))?.state !== end) await sleep(100)
}

/** Counts a wrong response by what was asked for, and by its beginning. */
async function note(what: string, response: Response): Promise<void> {
  const text = (await response.text()).slice(0, 200)
  count(`${what} during ${part}: ${response.status} ${text}`)
}

function count(what: string): void {
  wrong.set(what, (wrong.get(what) ?? 0) + 1)
}

function send(path: string, body: FormData | URLSearchParams): Promise<Response> {
  const origin = `http://127.0.0.1:${server.consolePort}`
  const headers = { cookie, origin }
  return fetch(`${origin}${path}`, { method: 'POST', headers, body, redirect: 'manual' })
}

async function signIn(at: Store): Promise<string> {
  const now = at.clock.now()
  const person = { email: 'bench@school.example', name: 'Bench', role: 'manager' as const, now }
  const operator = (await at.addOperator(person)) ?? 0
  const token = randomBytes(32).toString('base64url')
  const tokenHash = createHash('sha256').update(token).digest('base64url')
  await at.addSession(operator, { tokenHash, network: '127.0.0.1', browser: 'bench', now })
  return `session=${token}`
}

function list(): string {
  const lines = Array.from(
    { length: rows },
    (_, n) =>
      `Ana,Ruiz ${n},ana.${n}@mail.example,512 555 ${String(n % 10_000).padStart(4, '0')},TX,"Met at the fair, stand ${n % 7}"`,
  )
  return `First name,Last name,Email,Phone,State,Notes\n${lines.join('\n')}\n`
}
