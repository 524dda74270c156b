/** What tests of a failing PostgreSQL have in common: a load and a watch that measure, and the sum. */
import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { postgresRows } from '../support/postgres.ts'
import type { PostgresServer } from '../support/postgres-server.ts'
import { mailFiles, type Service } from '../support/process.ts'
import { Ledger } from './ledger.ts'
import { exchange, type RawAnswer, RawClient } from './raw-client.ts'

/** Nobody waits longer for an answer, whatever has happened to the server, in milliseconds. */
export const ANSWERED_WITHIN = 3000

/** So long after the server is well again, so is the service, in milliseconds. */
export const WELL_WITHIN = 5000

/** Makes an empty database and returns its address. It goes with the server. */
export async function makeDatabase(server: PostgresServer): Promise<string> {
  const name = `frontdesk_${randomBytes(8).toString('hex')}`
  await postgresRows(server.url, `create database ${name}`)
  const url = new URL(server.url)
  url.pathname = name
  return url.href
}

/** Waits until something holds. Throws `otherwise` when it never does. */
export async function eventually(
  condition: () => boolean | Promise<boolean>,
  otherwise: string,
  patience = 30_000,
): Promise<void> {
  for (const end = performance.now() + patience; !(await condition()); await wait(30)) {
    ok(performance.now() < end, `${otherwise} in ${patience} ms`)
  }
}

/** Whether a query finds something. */
export const finds = async (url: string, text: string, values: unknown[] = []): Promise<boolean> =>
  (await postgresRows(url, text, values)).length > 0

/** An answer: when it came (by `performance.now`), and after how long, in milliseconds. */
export type Seen = { status: number; at: number; took: number }

/** Clients that send submissions, each one after the other with a pause between. */
export class Load {
  readonly ledger: Ledger
  readonly seen: Seen[] = []
  readonly #clients: Promise<void>[]
  #stopped = false

  constructor(service: Service, { ledger = new Ledger(), clients = 5, pause = 100 } = {}) {
    this.ledger = ledger
    this.#clients = Array.from({ length: clients }, () => this.#send(service, pause))
    // Told by stop(); a test that fails before that has its own reason.
    for (const client of this.#clients) client.catch(() => {})
  }

  async #send({ origin }: Service, pause: number): Promise<void> {
    const client = await RawClient.connect(origin.learn)
    while (!this.#stopped) {
      const begun = performance.now()
      const answer = await this.ledger.submit(client)
      const at = performance.now()
      this.seen.push({ status: answer.status, at, took: at - begun })
      if (answer.status !== 200) isComeBack(answer)
      await wait(pause * (0.5 + Math.random()))
    }
    client.socket.destroy()
  }

  /** Waits for the next answers of this status. */
  async until(status: number, count = 1, patience = 30_000): Promise<void> {
    const from = this.seen.length
    const found = () => this.seen.slice(from).filter(seen => seen.status === status).length
    await eventually(() => found() >= count, `not ${count} answers ${status}`, patience)
  }

  /** Throws when a connection has ended or an answer was none of ours. */
  async stop(): Promise<void> {
    this.#stopped = true
    await Promise.all(this.#clients)
  }

  /** The longest wait for an answer, for one of this status, in milliseconds. */
  slowest(status?: number): number {
    const chosen = this.seen.filter(seen => status === undefined || seen.status === status)
    return Math.max(0, ...chosen.map(({ took }) => took))
  }

  /** How long after `moment` the last answer came that was not 200, in milliseconds. */
  wellAfter(moment: number): number {
    const unwell = this.seen.filter(({ status, at }) => status !== 200 && at > moment)
    return Math.max(0, ...unwell.map(({ at }) => at - moment))
  }

  count(status: number): number {
    return this.seen.filter(seen => seen.status === status).length
  }
}

/** A refusal is JSON with a sentence, and says when to come back. */
export function isComeBack({ status, body, headers }: RawAnswer): void {
  equal(status, 503)
  deepEqual(Object.keys(body as object), ['error'])
  match(String(headers['retry-after']), /^\d+$/)
}

/** Somebody who keeps asking every host of a service for its health. */
export class Watch {
  readonly health: number[] = []
  readonly ready: (Seen & { host: string })[] = []
  readonly #loops: Promise<void>[]
  #stopped = false

  constructor({ origin }: Service) {
    this.#loops = Object.entries(origin).flatMap(([host, url]) => [
      this.#ask(url, '/healthz', ({ status, took }) => {
        equal(status, 200)
        this.health.push(took)
      }),
      this.#ask(url, '/readyz', seen => this.ready.push({ ...seen, host })),
    ])
    for (const loop of this.#loops) loop.catch(() => {})
  }

  async #ask(origin: string, path: string, note: (seen: Seen) => void): Promise<void> {
    while (!this.#stopped) {
      const begun = performance.now()
      const { status } = await exchange(origin, `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
      const at = performance.now()
      note({ status, at, took: at - begun })
      await wait(30)
    }
  }

  async stop(): Promise<void> {
    this.#stopped = true
    await Promise.all(this.#loops)
  }

  /** How long `/healthz` took, all but the slowest hundredth, which is this machine's. */
  usualHealth(): number {
    return this.health.toSorted((a, b) => a - b)[Math.floor(this.health.length * 0.99)] as number
  }

  /** How long after `moment` the last of the hosts first gave this status, in milliseconds. */
  allSaid(status: number, moment: number): number {
    const firsts = ['site', 'learn', 'console'].map(host =>
      this.ready.find(seen => seen.host === host && seen.at > moment && seen.status === status),
    )
    return Math.max(...firsts.map(first => (first?.at ?? Number.POSITIVE_INFINITY) - moment))
  }
}

/** Sends everything once more and holds the ledger against the database: all is there, once. */
export async function assertAllStored(ledger: Ledger, { origin }: Service, url: string) {
  deepEqual(await ledger.retryAll(origin.learn, 5), new Set([200]))
  equal(await stored(ledger, url), ledger.attempted.size)
}

/** Acknowledged ⊆ stored ⊆ attempted, and nothing twice. Returns how many are stored. */
export async function stored(ledger: Ledger, url: string): Promise<number> {
  const rows = await postgresRows<{ key: string }>(url, 'select key from submissions')
  return ledger.checkKeys(rows.map(({ key }) => key))
}

/** What a claim or a failed try puts off is due at once: the minutes until then are simulated. */
export async function endWaiting(url: string): Promise<void> {
  await postgresRows(
    url,
    `update tasks set due_at = 0, lease_until = 0
     where state = 'due' and kind <> 'step' and (lease_until is not null or due_at > 0)`,
  )
}

export type Work = { leads: number; told: number; open: number; sent: number; noted: number }

/** How far following up is. */
export async function workOf(url: string): Promise<Work> {
  const [work] = await postgresRows<Work>(
    url,
    `select (select count(*) from leads) as leads,
       (select count(*) from timeline where kind = 'email') as noted,
       count(*) filter (where kind = 'notify' and state = 'done') as told,
       count(*) filter (where kind in ('notify', 'receipt') and state = 'done') as sent,
       count(*) filter (where state = 'due' and kind not in ('digest', 'step')) as open
     from tasks`,
  )
  return work as Work
}

/** Waits until all is followed up, and asserts that each submission was, once. Returns how long. */
export async function assertAllTold(url: string, count: number, dataDirs: string[]) {
  const begun = performance.now()
  await endWaiting(url)
  let work = await workOf(url)
  for (; work.open > 0 || work.told < count; work = await workOf(url)) {
    ok(performance.now() - begun < 30_000, `not all were told: ${JSON.stringify(work)}`)
    await wait(100)
  }
  equal(work.told, count)
  equal(work.leads, count)
  equal(work.noted, work.sent)
  const files = dataDirs.map(dataDir => mailFiles(dataDir))
  // A message that is sent twice has one name, in one folder.
  equal(new Set(files.flat()).size, work.sent)
  return performance.now() - begun
}
