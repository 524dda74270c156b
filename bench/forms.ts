/**
 * What a form post costs the service, compared with the same inquiry as JSON, and how large the page is:
 * `node bench/forms.ts`. README.md in this folder says what is compared.
 *
 * Exits with code 1 if a response was wrong or a target is missed.
 */
import { randomUUID } from 'node:crypto'
import { Agent, type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { parseArgs } from 'node:util'
import { gzipSync } from 'node:zlib'
import { wholeNumber } from './options.ts'
import { canPin, cpuSeconds, moveToClientCore } from './processes.ts'
import { paths } from './requests.ts'
import { median } from './results.ts'
import { type Server, startService } from './servers.ts'
import { table } from './table.ts'

/** The most that a form post may cost, as a multiple of the operation. */
const MOST_COST = 1.5

/** The most that the page and its script may have, in compressed bytes. */
const MOST_BYTES = 30_000

const { values } = parseArgs({
  options: { requests: { type: 'string', default: '3000' }, rounds: { type: 'string', default: '3' } },
})
const requests = wholeNumber('requests', values.requests)
const rounds = wholeNumber('rounds', values.rounds)

type Kind = 'site' | 'student'
type Inquiry = Record<string, string | number>

/** How an inquiry is sent: to where, as what, and the status of a right response. */
type Way = { path: string; headers: Record<string, string>; encode(inquiry: Inquiry): string; right: number }

const agent = new Agent({ keepAlive: true, maxSockets: 16 })
if (canPin) moveToClientCore()
const service = await startService({ replicas: 1, pinned: canPin, postgres: undefined, httpOnly: true })
const [server] = service.replicas as [Server]
let wrong = 0
const rows: string[][] = []
const costs: number[] = []
const sizes: number[] = []
for (const kind of ['site', 'student'] as const) {
  const port = server.ports[kind === 'site' ? 'A' : 'B']
  const { form, bytes } = await openForm(kind, port)
  sizes.push(bytes)
  const operation: Way = {
    path: paths[kind === 'site' ? 'A' : 'B'],
    headers: { 'Content-Type': 'application/json' },
    encode: JSON.stringify,
    right: 200,
  }
  await measure(port, kind, operation)
  await measure(port, kind, form)
  const measured: { json: number; form: number }[] = []
  for (let round = 0; round < rounds; round++) {
    measured.push({ json: await measure(port, kind, operation), form: await measure(port, kind, form) })
  }
  const ratio = median(measured.map(({ json, form }) => form / json))
  costs.push(ratio)
  const micros = (way: 'json' | 'form') => Math.round(median(measured.map(one => one[way])) * 1e6)
  rows.push([kind, `${micros('json')}`, `${micros('form')}`, ratio.toFixed(2), `${bytes}`])
}
await server.stop()
await service.remove()

const head = ['', 'JSON (µs)', 'form (µs)', 'ratio', 'page and script (bytes)']
process.stdout.write(`${table([head, ...rows])}\n`)
if (wrong > 0) process.stdout.write(`${wrong} wrong responses\n`)
if (wrong > 0 || costs.some(cost => cost > MOST_COST) || sizes.some(size => size > MOST_BYTES)) {
  process.exitCode = 1
}

/** Processor time of the service for each request, in seconds. */
async function measure(port: number, kind: Kind, way: Way): Promise<number> {
  const before = cpuSeconds(server.pid) ?? 0
  let left = requests
  const sender = async () => {
    while (left-- > 0) await send(port, kind, way)
  }
  await Promise.all(Array.from({ length: 16 }, sender))
  return ((cpuSeconds(server.pid) ?? 0) - before) / requests
}

async function send(port: number, kind: Kind, { path, headers, encode, right }: Way): Promise<void> {
  const body = encode(inquiryOf(kind))
  const { status } = await exchange(port, path, headers, body)
  if (status !== right) wrong++
}

/** A different person each time. */
function inquiryOf(kind: Kind): Inquiry {
  const id = randomUUID()
  const person = {
    firstName: 'Amina',
    lastName: `Okafor ${id.slice(0, 8)}`,
    email: `${id}@example.com`,
    phone: '(312) 555-0142',
    message: 'We have read what you offer and would like to know more about the evening classes.',
  }
  return kind === 'site'
    ? {
        ...person,
        company: 'Lakeside Care',
        address: '100 Main Street, Chicago',
        website: '',
        startedAt: Date.now() - 60_000,
      }
    : { ...person, city: 'Chicago', state: 'IL', idempotencyKey: id }
}

/** A form that is sent like its page says, and the compressed bytes of the page with its script. */
async function openForm(kind: Kind, port: number): Promise<{ form: Way; bytes: number }> {
  const path = `/forms/${kind}-interest`
  const page = await exchange(port, path, { Accept: 'text/html' })
  const script = await exchange(port, '/forms/form.js', {})
  const [, token = ''] = /name="token" value="([^"]*)"/.exec(page.body) ?? []
  const form: Way = {
    path: `${path}?lang=en`,
    headers: { 'Content-Type': 'application/x-www-form-urlencoded', Accept: 'text/html' },
    encode: ({ website: _, startedAt: __, idempotencyKey: ___, ...inquiry }) =>
      `${new URLSearchParams({ token, subject: '', consent: 'yes', ...(inquiry as Record<string, string>) })}`,
    right: 303,
  }
  const bytes = gzipSync(page.body).length + gzipSync(script.body).length
  return { form, bytes }
}

function exchange(
  port: number,
  path: string,
  headers: Record<string, string>,
  body?: string,
): Promise<{ status: number; body: string }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; body: string }>()
  const method = body === undefined ? 'GET' : 'POST'
  const length = body === undefined ? {} : { 'Content-Length': Buffer.byteLength(body) }
  const options = { agent, port, path, method, host: '127.0.0.1', headers: { ...headers, ...length } }
  const asked = request(options, (response: IncomingMessage) => {
    text(response).then(found => resolve({ status: response.statusCode ?? 0, body: found }), reject)
  })
  asked.on('error', reject)
  asked.end(body)
  return promise
}
