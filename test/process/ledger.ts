/** What clients know of their submissions, held against what the database holds. */
import { deepEqual, equal, ok } from 'node:assert/strict'
import type { DatabaseSync } from 'node:sqlite'
import { clientKey } from '../../src/leads/idempotency.ts'
import { aStudent } from '../support/bodies.ts'
import { post, type RawAnswer, RawClient } from './raw-client.ts'

export class Ledger {
  /** Bodies by key: those that were sent, and of those the ones that were answered 200. */
  readonly attempted = new Map<string, object>()
  readonly acknowledged = new Set<string>()
  /** Every other status that was answered. */
  readonly refused: number[] = []

  /**
   * Sends over one connection, one request after the other, until `count` are answered or the
   * connection ends. Returns how it ended.
   */
  async send(client: RawClient, count: number): Promise<'done' | 'ended' | 'told to leave'> {
    for (let sent = 0; sent < count; sent++) {
      const answer = await this.submit(client).catch(() => undefined)
      if (answer === undefined) return 'ended'
      if (answer.headers['connection'] === 'close') return 'told to leave'
    }
    return 'done'
  }

  /** Sends one submission. Throws when the connection ends before its answer. */
  async submit(client: RawClient): Promise<RawAnswer> {
    const { idempotencyKey: key, ...body } = aStudent()
    this.attempted.set(key, body)
    const answer = await client.write(toLearn(key, body)).answer()
    if (answer.status === 200) this.acknowledged.add(key)
    else this.refused.push(answer.status)
    return answer
  }

  /** Sends everything once more, as clients do that were not answered. Returns the statuses seen. */
  async retryAll(origin: string, connections: number): Promise<Set<number>> {
    const left = [...this.attempted].values()
    const statuses = new Set<number>()
    const retry = async () => {
      const client = await RawClient.connect(origin)
      for (const [key, body] of left) {
        const { status } = await client.write(toLearn(key, body)).answer()
        statuses.add(status)
        if (status === 200) this.acknowledged.add(key)
      }
      client.socket.destroy()
    }
    await Promise.all(Array.from({ length: connections }, retry))
    return statuses
  }

  /** Acknowledged ⊆ stored ⊆ attempted, and no key stored twice. Returns how many are stored. */
  check(database: DatabaseSync): number {
    const rows = database.prepare('select key from submissions').all()
    const [integrity] = database.prepare('pragma integrity_check').all()
    equal(integrity?.['integrity_check'], 'ok')
    return this.checkKeys(rows.map(row => String(row['key'])))
  }

  /** The same of the keys that a database of any kind holds. */
  checkKeys(keys: string[]): number {
    const stored = new Set(keys)
    equal(stored.size, keys.length, 'a key is stored twice')
    const attempted = new Set([...this.attempted.keys()].map(keyOf))
    deepEqual([...stored.difference(attempted)], [], 'something is stored that nobody sent')
    const lost = [...this.acknowledged].filter(key => !stored.has(keyOf(key)))
    deepEqual(lost, [], 'something was answered 200 and is not stored')
    ok(stored.size > 0)
    return stored.size
  }
}

const keyOf = (key: string) => clientKey('student', key)

const toLearn = (key: string, body: object): string =>
  post('/api/admissions/interest', body, { 'X-Idempotency-Key': key })
