/** For tests of a failing PostgreSQL: a load and a health watch that measure, and checks of the result. */
import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { postgresRows } from '../support/postgres.ts'
import type { PostgresServer } from '../support/postgres-server.ts'
import { HANGS_AFTER, mailFiles, type Service } from '../support/process.ts'
import { STOOD_STILL } from '../support/standstill.ts'
import { Ledger } from './ledger.ts'
import { exchange, RawClient, type RawResponse } from './raw-client.ts'

/**
 * No client waits longer for a response, whatever has happened to the server, in milliseconds: 3 seconds, plus some time
 * for a slow machine. Without a limit, it would wait for as long as the server is away.
 */
export const RESPONDS_WITHIN = 5000

/** Every replica knows after this time that the server does not respond, in milliseconds. It asks it for a second. */
export const NOTICES_WITHIN = 4000

/** The service recovers within this time after the server has: 5 seconds, three times as long for a slow machine. */
export const RECOVERS_WITHIN = 15_000

/** Creates an empty database and returns its URL. It is removed with the server. */
export async function makeDatabase(server: PostgresServer): Promise<string> {
  const name = `frontdesk_${randomBytes(8).toString('hex')}`
  await postgresRows(server.url, `create database ${name}`)
  const url = new URL(server.url)
  url.pathname = name
  return url.href
}

/** Waits until a condition holds. Throws `otherwise` if it does not hold within `timeout` milliseconds. */
export async function eventually(
  condition: () => boolean | Promise<boolean>,
  otherwise: string,
  timeout = HANGS_AFTER,
): Promise<void> {
  for (const end = performance.now() + timeout; !(await condition()); await wait(30)) {
    ok(performance.now() < end, `${otherwise} in ${timeout} ms`)
  }
}

/** Whether a query finds any row. */
export const finds = async (url: string, text: string, values: unknown[] = []): Promise<boolean> =>
  (await postgresRows(url, text, values)).length > 0

/** A response: when it arrived (by the clock of the service), and how long it took, in milliseconds. */
export type Measurement = { status: number; at: number; took: number }

/** Clients that send submissions. Each client sends one after the other, with pauses in between. */
export class Load {
  readonly ledger: Ledger
  readonly responses: Measurement[] = []
  readonly #clients: Promise<void>[]
  #stopped = false
  #failure: Error | undefined

  constructor(service: Service, { ledger = new Ledger(), clients = 5, pause = 200 } = {}) {
    this.ledger = ledger
    this.#clients = Array.from({ length: clients }, () => this.#send(service, pause))
    for (const client of this.#clients) {
      client.catch(error => {
        this.#failure = error
      })
    }
  }

  async #send({ origin, now }: Service, pause: number): Promise<void> {
    const lost = () => performance.now() - now()
    let before = lost()
    let client = await RawClient.connect(origin.learn)
    while (!this.#stopped) {
      await wait(pause * (0.5 + Math.random()))
      const begun = now()
      const sending = lost()
      const response = await this.ledger.submit(client).catch(error => {
        // Where the machine stood still since the request before, the service may just have ended a connection that
        // it found idle.
        if (lost() - before < STOOD_STILL) throw error
      })
      // Or it found the request late.
      const late = response?.status === 408 && lost() - before > STOOD_STILL
      before = sending
      if (response === undefined || late) {
        client = await RawClient.connect(origin.learn)
        continue
      }
      const at = now()
      this.responses.push({ status: response.status, at, took: at - begun })
      if (response.status !== 200) assertRetryLater(response)
      // The service asks for it where the machine stood still, as it does under too much load.
      if (response.headers['connection'] === 'close') client = await RawClient.connect(origin.learn)
    }
    client.socket.destroy()
  }

  /** Waits for the next responses, or for those with this status. Throws what `stop` would throw. */
  async until(status: number | undefined, count = 1, timeout = HANGS_AFTER): Promise<void> {
    const from = this.responses.length
    const found = () => {
      if (this.#failure !== undefined) throw this.#failure
      return this.responses.slice(from).filter(each => status === undefined || each.status === status).length
    }
    await eventually(() => found() >= count, `fewer than ${count} responses with ${status ?? 'any status'}`, timeout)
  }

  /** Throws if a connection has ended or a response was not one of ours. */
  async stop(): Promise<void> {
    this.#stopped = true
    await Promise.all(this.#clients)
  }

  /** The longest wait for a response, or for a response with this status, in milliseconds. */
  slowest(status?: number): number {
    const chosen = this.responses.filter(each => status === undefined || each.status === status)
    return Math.max(0, ...chosen.map(({ took }) => took))
  }

  /** How long after `moment` the last response other than 200 came, in milliseconds. */
  recoveredAfter(moment: number): number {
    const failed = this.responses.filter(({ status, at }) => status !== 200 && at > moment)
    return Math.max(0, ...failed.map(({ at }) => at - moment))
  }

  count(status: number): number {
    return this.responses.filter(each => each.status === status).length
  }
}

/** How long nine of ten took at most: a moment in which the machine stands still does not change it. */
export const nineOfTen = (times: number[]): number =>
  times.toSorted((a, b) => a - b)[Math.floor((times.length - 1) * 0.9)] ?? 0

/** Asserts that a response is 503 with an error in JSON, and says when to retry. */
export function assertRetryLater({ status, body, headers }: RawResponse): void {
  equal(status, 503)
  deepEqual(Object.keys(body as object), ['error'])
  match(String(headers['retry-after']), /^\d+$/)
}

/** Keeps requesting the health of every host of a service. */
export class Watch {
  readonly health: number[] = []
  readonly readiness: (Measurement & { host: string })[] = []
  readonly #loops: Promise<void>[]
  #stopped = false

  constructor({ origin, now }: Service) {
    this.#loops = Object.entries(origin).flatMap(([host, url]) => [
      this.#ask(now, url, '/healthz', ({ status, took }) => {
        equal(status, 200)
        this.health.push(took)
      }),
      this.#ask(now, url, '/readyz', measured => this.readiness.push({ ...measured, host })),
    ])
    for (const loop of this.#loops) loop.catch(() => {})
  }

  async #ask(now: () => number, origin: string, path: string, record: (measured: Measurement) => void): Promise<void> {
    while (!this.#stopped) {
      const begun = now()
      const { status } = await exchange(origin, `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
      const at = now()
      record({ status, at, took: at - begun })
      await wait(30)
    }
  }

  async stop(): Promise<void> {
    this.#stopped = true
    await Promise.all(this.#loops)
  }

  /** How long `/healthz` took in nine of ten cases at most: for others, this machine may be to blame. */
  usualHealth(): number {
    return nineOfTen(this.health)
  }

  /** How long after `moment` all hosts had returned this status from `/readyz`, in milliseconds. */
  allReturned(status: number, moment: number): number {
    const firsts = ['site', 'learn', 'console'].map(host =>
      this.readiness.find(each => each.host === host && each.at > moment && each.status === status),
    )
    return Math.max(...firsts.map(first => (first?.at ?? Number.POSITIVE_INFINITY) - moment))
  }
}

/** Sends everything again, and asserts that the database holds each submission in the ledger once. */
export async function assertAllStored(ledger: Ledger, { origin }: Service, url: string) {
  deepEqual(await ledger.retryAll(origin.learn, 5), new Set([200]))
  equal(await countStored(ledger, url), ledger.attempted.size)
}

/** Acknowledged ⊆ stored ⊆ attempted, and nothing twice. Returns how many are stored. */
export async function countStored(ledger: Ledger, url: string): Promise<number> {
  // While clients send on, only what was acknowledged before must be among the rows.
  const acknowledged = [...ledger.acknowledged]
  const rows = await postgresRows<{ key: string }>(url, 'select key from submissions')
  return ledger.checkKeys(
    rows.map(({ key }) => key),
    acknowledged,
  )
}

/**
 * Makes tasks due that wait for the end of a claim or for a retry: it simulates the minutes until then. It locks
 * them in the order of the service, so that neither waits for the other.
 */
export async function endWaiting(url: string): Promise<void> {
  await postgresRows(
    url,
    `update tasks set due_at = 0, lease_until = 0 where id in
       (select id from tasks where state = 'due' and kind not in ('step', 'unattended', 'report')
          and (lease_until is not null or due_at > 0) order by id for update)`,
  )
}

export type Work = { leads: number; notified: number; open: number; sent: number; recorded: number }

/** The progress of filing and mailing, as counts. */
export async function workOf(url: string): Promise<Work> {
  const [work] = await postgresRows<Work>(
    url,
    `select (select count(*) from leads) as leads,
       (select count(*) from timeline where kind = 'email') as recorded,
       count(*) filter (where kind = 'notify' and state = 'done') as notified,
       count(*) filter (where kind in ('notify', 'receipt') and state = 'done') as sent,
       count(*) filter (where state = 'due' and kind not in ('digest', 'step', 'unattended', 'report')) as open
     from tasks`,
  )
  return work as Work
}

/**
 * Waits until nothing is due, and asserts that each submission has caused one notification. Returns how
 * long that took, in milliseconds.
 */
export async function assertAllNotified(url: string, count: number, dataDirs: string[]) {
  const begun = performance.now()
  await endWaiting(url)
  let work = await workOf(url)
  for (; work.open > 0 || work.notified < count; work = await workOf(url)) {
    ok(performance.now() - begun < HANGS_AFTER, `not all notifications were sent: ${JSON.stringify(work)}`)
    await wait(250)
  }
  equal(work.notified, count)
  equal(work.leads, count)
  equal(work.recorded, work.sent)
  const files = dataDirs.map(dataDir => mailFiles(dataDir))
  // A message that is sent twice to the same folder becomes one file.
  equal(new Set(files.flat()).size, work.sent)
  return performance.now() - begun
}
