/** Records what clients know of their submissions, to compare it with the database. */
import { deepEqual, equal, ok } from 'node:assert/strict'
import type { DatabaseSync } from 'node:sqlite'
import { setTimeout as wait } from 'node:timers/promises'
import { clientKey } from '../../src/leads/body/idempotency.ts'
import { aStudent } from '../support/bodies.ts'
import { HANGS_AFTER } from '../support/process.ts'
import { post, RawClient, type RawResponse } from './raw-client.ts'

export class Ledger {
  /** The bodies that were sent, by key, and the keys to which the response was 200. */
  readonly attempted = new Map<string, object>()
  readonly acknowledged = new Set<string>()
  /** Every other status that the service returned. */
  readonly rejected: number[] = []

  /**
   * Sends one request after the other over one connection, until `count` responses have arrived or the
   * connection ends. Returns how it ended.
   */
  async send(client: RawClient, count: number): Promise<'done' | 'ended' | 'asked to close'> {
    for (let sent = 0; sent < count; sent++) {
      const response = await this.submit(client).catch(() => undefined)
      if (response === undefined) return 'ended'
      if (response.headers['connection'] === 'close') return 'asked to close'
    }
    return 'done'
  }

  /** Sends one submission. Throws when the connection ends before the response. */
  async submit(client: RawClient): Promise<RawResponse> {
    const { idempotencyKey: key, ...body } = aStudent()
    this.attempted.set(key, body)
    const response = await client.write(toLearn(key, body)).response()
    if (response.status === 200) this.acknowledged.add(key)
    else this.rejected.push(response.status)
    return response
  }

  /**
   * Sends everything again, as clients do that got no response, until it is not 503: that is right where the machine
   * stood still for seconds. Returns the other statuses. Throws if one gets 503 again and again.
   */
  async retryAll(origin: string, connections: number): Promise<Set<number>> {
    const left = [...this.attempted].values()
    const statuses = new Set<number>()
    const retry = async () => {
      let client = await RawClient.connect(origin)
      for (const [key, body] of left) {
        const request = toLearn(key, body)
        const end = performance.now() + HANGS_AFTER
        let status: number | undefined
        while (status === undefined) {
          status = await this.#untilAvailable(client, request).catch(() => undefined)
          if (status !== undefined) continue
          // A connection that was idle for too long, again where the machine stood still.
          ok(performance.now() < end, 'it still gets 503, or no response at all')
          client = await RawClient.connect(origin)
        }
        statuses.add(status)
        if (status === 200) this.acknowledged.add(key)
      }
      client.socket.destroy()
    }
    await Promise.all(Array.from({ length: connections }, retry))
    return statuses
  }

  async #untilAvailable(client: RawClient, request: string): Promise<number> {
    for (const end = performance.now() + HANGS_AFTER; ; await wait(100)) {
      const { status } = await client.write(request).response()
      if (status !== 503) return status
      ok(performance.now() < end, 'it still gets 503')
    }
  }

  /** What was rejected for another reason than that the machine stood still for seconds, which makes it 503 or 408. */
  get refused(): number[] {
    return this.rejected.filter(status => status !== 503 && status !== 408)
  }

  /** That nothing was refused, and that no sent submission lacks its response. */
  assertAnswered(): void {
    deepEqual(this.refused, [])
    equal(this.acknowledged.size + this.rejected.length, this.attempted.size)
  }

  /** Acknowledged ⊆ stored ⊆ attempted, and no key stored twice. Returns how many are stored. */
  check(database: DatabaseSync): number {
    const rows = database.prepare('select key from submissions').all()
    const [integrity] = database.prepare('pragma integrity_check').all()
    equal(integrity?.['integrity_check'], 'ok')
    return this.checkKeys(rows.map(row => String(row['key'])))
  }

  /** The same check for the keys that any database held after these were acknowledged. */
  checkKeys(keys: string[], acknowledged: Iterable<string> = this.acknowledged): number {
    const stored = new Set(keys)
    equal(stored.size, keys.length, 'a key is stored twice')
    const attempted = new Set([...this.attempted.keys()].map(keyOf))
    deepEqual([...stored.difference(attempted)], [], 'the database holds a submission that no client sent')
    const lost = [...acknowledged].filter(key => !stored.has(keyOf(key)))
    deepEqual(lost, [], 'a submission got 200 but is not stored')
    ok(stored.size > 0)
    return stored.size
  }
}

const keyOf = (key: string) => clientKey('student', key)

const toLearn = (key: string, body: object): string =>
  post('/api/admissions/interest', body, { 'X-Idempotency-Key': key })
