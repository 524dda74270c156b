import { deepEqual, equal, rejects } from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { describe, test } from 'node:test'
import { StoreUnavailable } from '../../src/store/group-commit.ts'
import { openSqlite, SqliteAcceptance } from '../../src/store/sqlite.ts'
import { DAY } from '../support/clock.ts'
import { anArrival, startStore } from '../support/store.ts'

const count = (file: string, table: string): number => {
  const db = new DatabaseSync(file, { readOnly: true })
  const row = db.prepare(`select count(*) as count from ${table}`).get()
  db.close()
  return Number(row?.['count'])
}

describe('acceptance', () => {
  test('stores the submission and its task together', async t => {
    const { store, file } = await startStore(t)
    equal(await store.accept(anArrival()), 'accepted')
    equal(count(file, 'submissions'), 1)
    equal(count(file, 'tasks'), 1)
  })

  test('of duplicates in one batch, stores the first', async t => {
    const { store, file } = await startStore(t)
    const arrival = anArrival()
    const outcomes = await Promise.all([
      store.accept(arrival),
      store.accept(arrival),
      store.accept({ ...arrival, fingerprint: 'another'.padEnd(22, '.') }),
      store.accept(anArrival()),
    ])
    deepEqual(outcomes, ['accepted', 'replayed', 'conflict', 'accepted'])
    equal(count(file, 'submissions'), 2)
  })

  test('keeps a key for good: in memory, in the index, and after a restart', async t => {
    const { store, file, clock } = await startStore(t)
    const arrival = anArrival()
    await store.accept(arrival)
    equal(await store.accept(arrival), 'replayed')
    await untilIndexed(file, 1)
    equal(await store.accept(arrival), 'replayed')
    const unindexed = anArrival()
    await store.accept(unindexed)
    await store.close()
    const again = await startStore(t, { file, clock })
    equal(await again.store.accept(arrival), 'replayed')
    equal(await again.store.accept(unindexed), 'replayed')
    equal(await again.store.lookUp(arrival.key), arrival.fingerprint)
    equal(await again.store.lookUp('unknown'), undefined)
  })

  test('lets a key that lives a day be used anew after it', async t => {
    const { store, file } = await startStore(t)
    const arrival = anArrival({ keyLifetime: DAY })
    await store.accept(arrival)
    const receivedAt = arrival.receivedAt + DAY
    equal(await store.accept({ ...arrival, receivedAt: receivedAt - 1 }), 'replayed')
    equal(await store.accept({ ...arrival, receivedAt }), 'accepted')
    equal(await store.accept({ ...arrival, receivedAt: receivedAt + 1 }), 'replayed')
    await untilIndexed(file, 2)
    equal(await store.accept({ ...arrival, receivedAt: receivedAt + 2 }), 'replayed')
  })

  test('holds across processes: two stores on one file never both accept a key', async t => {
    const one = await startStore(t)
    const other = await startStore(t, { file: one.file })
    const arrivals = Array.from({ length: 200 }, () => anArrival())
    const outcomes = await Promise.all(
      arrivals.flatMap(arrival => [one.store.accept(arrival), other.store.accept(arrival)]),
    )
    equal(outcomes.filter(outcome => outcome === 'accepted').length, 200)
    equal(outcomes.filter(outcome => outcome === 'replayed').length, 200)
    equal(count(one.file, 'submissions'), 200)
  })

  test('rejects a whole batch that cannot be stored, and recovers', async t => {
    const { store, file } = await startStore(t)
    const broken = anArrival({ kind: 'neither' as never })
    await rejects(store.accept(broken), StoreUnavailable)
    equal(count(file, 'submissions'), 0)
    equal(await store.accept(anArrival()), 'accepted')
  })

  test('waits for another process that is writing', async t => {
    const { store, file } = await startStore(t)
    const other = new DatabaseSync(file)
    other.exec('begin immediate')
    const accepted = store.accept(anArrival())
    setTimeout(() => other.exec('commit'), 50)
    equal(await accepted, 'accepted')
    other.close()
  })
})

describe('the key index', () => {
  test('gets the oldest keys first, and each key is found before and after', async t => {
    const { file } = await startStore(t)
    const { raw } = await openSqlite(file, 0)
    t.after(() => raw.close())
    const acceptance = new SqliteAcceptance(raw)
    const arrivals = Array.from({ length: 10 }, () => anArrival())
    acceptance.accept(arrivals)
    equal(acceptance.unindexed, 10)
    acceptance.indexKeys(4)
    equal(acceptance.unindexed, 6)
    equal(count(file, 'idempotency_keys'), 4)
    deepEqual(new Set(acceptance.accept(arrivals)), new Set(['replayed']))
    acceptance.indexKeys(100)
    equal(acceptance.unindexed, 0)
    deepEqual(new Set(acceptance.accept(arrivals)), new Set(['replayed']))
  })

  test('forgets nothing when a batch fails', async t => {
    const { file } = await startStore(t)
    const { raw } = await openSqlite(file, 0)
    t.after(() => raw.close())
    const acceptance = new SqliteAcceptance(raw)
    const arrival = anArrival()
    acceptance.accept([arrival])
    const failing = [anArrival(), anArrival({ kind: 'neither' as never })]
    try {
      acceptance.accept(failing)
    } catch {
      // Expected; what matters is what is known afterwards.
    }
    deepEqual(acceptance.accept([arrival, failing[0] as never]), ['replayed', 'accepted'])
  })
})

/** The index is written within tenths of a second; polls for it instead of sleeping for one span. */
async function untilIndexed(file: string, through: number): Promise<void> {
  const db = new DatabaseSync(file, { readOnly: true })
  while (Number(db.prepare('select through from indexed_keys').get()?.['through']) < through) {
    await new Promise(resolve => setTimeout(resolve, 10))
  }
  db.close()
}
