import { deepEqual, equal, ok } from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import type { Arrival, Outcome } from '../../src/store/acceptance/arrival.ts'
import { PostgresAcceptance } from '../../src/store/postgres/acceptance.ts'
import { createPool, queriesOver } from '../../src/store/postgres/connections.ts'
import type { WithLockout } from '../../src/store/postgres/counted-lockouts.ts'
import { limitKeys } from '../../src/store/postgres/limit-keys.ts'
import { PlainInsert } from '../../src/store/postgres/plain-insert.ts'
import { newDatabase, sql, urlOf } from '../support/engines.ts'
import { anArrival, startStore } from '../support/store.ts'

const many = (count: number): Arrival[] => Array.from({ length: count }, () => anArrival())

/** Students, each with an address of their own unless one is given. */
const students = (count: number, email?: string): Arrival[] =>
  many(count).map(one => ({ ...one, kind: 'student', lockout: true, email: email ?? `${one.key}@example.com` }))

/** As `acceptance.ts` passes them on. */
const withLockouts = (arrivals: Arrival[]): WithLockout[] =>
  arrivals.map(one => ({ ...one, lockout: one.lockout ? String(one.email) : null }))

/** A database, and what makes another replica on it. */
async function startReplicas(t: TestContext) {
  const { database } = await startStore(t, { database: await newDatabase(t, 'postgres') })
  const pool = () => {
    const pool = createPool(urlOf(database), { most: 1, within: 0 })
    t.after(() => pool.end())
    return pool
  }
  const replica = (own = pool()) => new PostgresAcceptance(own, limitKeys(queriesOver(own)))
  /** The keys that are stored. Each must have its row in the index, and be in one task. */
  const stored = async () => {
    const rows = await sql(
      database,
      `select s.key, k.submission_id = s.id as indexed, (select count(*)::int from tasks t
         where t.kind = 'file' and t.subject = s.batch and s.id between t.subject and t.through) as tasks
       from submissions s left join idempotency_keys k on k.key = s.key order by s.id`,
    )
    for (const row of rows) deepEqual([row['indexed'], row['tasks']], [true, 1])
    return rows.map(({ key }) => String(key))
  }
  return { pool, replica, stored, database }
}

describe('the plain insert on PostgreSQL', () => {
  test('stores a batch of new keys in one statement, in order and with its task', async t => {
    const { pool, stored } = await startReplicas(t)
    const batch = many(20)
    equal(await new PlainInsert(pool()).store(withLockouts(batch), true), true)
    deepEqual(
      await stored(),
      batch.map(({ key }) => key),
    )
  })

  test('stores nothing of a batch with a key that is taken, and lets the next batches go without it', async t => {
    const { pool, stored } = await startReplicas(t)
    const plain = new PlainInsert(pool())
    const store = (batch: Arrival[]) => plain.store(withLockouts(batch), true)
    const first = many(10)
    equal(await store(first), true)
    equal(await store([...many(10), first[3] as Arrival]), false)
    equal((await stored()).length, 10)
    for (let batch = 0; batch < 32; batch++) equal(await store(many(10)), false)
    equal(await store(many(10)), true)
    equal((await stored()).length, 20)
  })

  test('counts toward the lockouts, and neither stores nor counts a batch in which an address is locked', async t => {
    const { pool, stored, database } = await startReplicas(t)
    const counted = () => sql(database, 'select key, points from limits order by key')
    const plain = () => new PlainInsert(pool())
    const [own, often] = [students(6), students(4, 'often@example.com')]
    equal(await plain().store(withLockouts([...own, ...often]), true), true)
    const before = await counted()
    deepEqual(
      before.map(({ key, points }) => [String(key), Number(points)]),
      [...own.map(one => [one.email, 1]), ['often@example.com', 4]].toSorted(),
    )
    equal(await plain().store(withLockouts([...students(8), ...students(2, 'often@example.com')]), true), false)
    deepEqual(await counted(), before)
    equal((await stored()).length, 10)
    equal(await plain().store(withLockouts([...students(8), ...students(1, 'often@example.com')]), true), true)
    equal((await stored()).length, 19)
  })

  test('writes every key before it counts, as the other statement does: two that differed could wait for each other', async t => {
    const { pool } = await startReplicas(t)
    const batch = withLockouts(students(8))
    const [holder, watcher] = [await pool().connect(), pool()]
    await holder.query('begin')
    const last = batch
      .map(({ key }) => key)
      .toSorted()
      .at(-1)
    await holder.query('insert into idempotency_keys (key, submission_id) values ($1, 0)', [last])
    const stored = new PlainInsert(pool()).store(batch, true)
    const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    try {
      while ((await watcher.query(waiting)).rowCount === 0);
      await watcher.query(`set lock_timeout = '2s'`)
      for (const { lockout } of batch) await watcher.query('insert into limits values ($1, 0, 0)', [lockout])
    } finally {
      await holder.query('rollback')
      holder.release()
    }
    equal(await stored, true)
  })

  test('a batch in which an address is locked has the outcomes that each would have alone', async t => {
    const { replica, stored } = await startReplicas(t)
    const acceptance = replica()
    const outcomes = await acceptance.accept([...students(4), ...students(7, 'often@example.com'), ...students(1)])
    const locked = outcomes.flatMap((outcome, i) => (typeof outcome === 'object' && 'lockedFor' in outcome ? i : []))
    deepEqual(locked, [9, 10])
    equal(outcomes.filter(outcome => outcome === 'accepted').length, 10)
    equal((await stored()).length, 10)
  })

  test('is not used for a few, so that a repeat is not an error in the log of the server', async t => {
    const { pool, stored } = await startReplicas(t)
    equal(await new PlainInsert(pool()).store(withLockouts(many(7)), true), false)
    deepEqual(await stored(), [])
  })

  test('a batch in which some are repeats has the outcomes that each would have alone', async t => {
    const { replica, stored } = await startReplicas(t)
    const acceptance = replica()
    const first = many(12)
    ok((await acceptance.accept(first)).every(outcome => outcome === 'accepted'))
    const other = { ...(first[1] as Arrival), fingerprint: 'another'.padEnd(22, '.') }
    const outcomes = await acceptance.accept([...many(9), first[0] as Arrival, other])
    deepEqual(outcomes, [...Array(9).fill('accepted'), { replayed: 200 }, 'conflict'])
    equal((await stored()).length, 21)
  })

  test('stores each key once if several replicas get it at the same moment, and all of them know', async t => {
    const { pool, replica, stored, database } = await startReplicas(t)
    const pools = [pool(), pool(), pool()]
    const everything: Arrival[] = []
    for (let round = 0; round < 12; round++) {
      // A new one has not met a key that was taken, so it tries the plain insert again.
      const replicas = pools.map(own => replica(own))
      const shared = [...many(5), ...students(5)]
      const batches = replicas.map((_, i) => {
        const batch = [...many(10), ...(i === 1 ? shared.toReversed() : shared)]
        return i === 2 ? batch.toReversed() : batch
      })
      everything.push(...batches.flat())
      const outcomes = await Promise.all(replicas.map((one, i) => one.accept(batches[i] as Arrival[])))
      const byKey = new Map<string, Outcome[]>()
      for (const [i, batch] of batches.entries()) {
        for (const [n, { key }] of batch.entries()) {
          byKey.set(key, [...(byKey.get(key) ?? []), outcomes[i]?.[n] as Outcome])
        }
      }
      for (const [key, ones] of byKey) {
        equal(ones.filter(one => one === 'accepted').length, 1, key)
        for (const one of ones) if (one !== 'accepted') deepEqual(one, { replayed: 200 })
      }
    }
    const keys = new Set(everything.map(({ key }) => key))
    deepEqual((await stored()).toSorted(), [...keys].toSorted())
    const counted = await sql(database, 'select count(*)::int as addresses, sum(points)::int as points from limits')
    deepEqual(counted, [{ addresses: 60, points: 60 }])
  })
})
