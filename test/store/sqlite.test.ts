import { deepEqual, equal, ok, rejects, throws } from 'node:assert/strict'
import { on } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, type TestContext, test } from 'node:test'
import { MessageChannel } from 'node:worker_threads'
import { DAY } from '../../src/platform/time.ts'
import type { Outcome } from '../../src/store/acceptance/arrival.ts'
import { SqliteAcceptance } from '../../src/store/sqlite/acceptance.ts'
import { asText } from '../../src/store/sqlite/batch-text.ts'
import { openSqlite } from '../../src/store/sqlite/database.ts'
import { mergeWords } from '../../src/store/sqlite/index-words.ts'
import { keysToIndex, paced } from '../../src/store/sqlite/keys-to-index.ts'
import { overwriteDeleted } from '../../src/store/sqlite/overwrite.ts'
import { serveStore } from '../../src/store/sqlite/serve-store.ts'
import { countRows, sql } from '../support/engines.ts'
import { temporaryFolder } from '../support/folder.ts'
import { anArrival, startStore } from '../support/store.ts'

/** A store on a file, and the file. */
async function startOnFile(t: TestContext) {
  const { store, clock, database } = await startStore(t)
  if (database.engine !== 'sqlite') throw new Error('This is about SQLite')
  return { store, clock, database, file: database.file }
}

describe('overwriting what was deleted', () => {
  test('waits for a reader, and leaves the timeout of other statements as it is', async t => {
    const { file } = await startOnFile(t)
    const { raw } = await openSqlite(file, 0)
    t.after(() => raw.close())
    const timeout = () => raw.prepare('pragma busy_timeout').get()?.['timeout']
    const before = timeout()
    const reader = new DatabaseSync(file, { readOnly: true })
    reader.exec('begin')
    reader.prepare('select count(*) from submissions').get()
    raw.exec("update write_probe set bytes = x'00'")
    const overwriting = overwriteDeleted(raw)
    equal(timeout(), before)
    reader.close()
    equal(await overwriting, true)
    equal(timeout(), before)
  })
})

test('a query for distinct rows gets each once, and one that would lock rows is understood', async t => {
  const { store, file } = await startOnFile(t)
  for (const key of ['one', 'two']) await store.accept(anArrival({ key }))
  const { raw, db } = await openSqlite(file, 0)
  t.after(() => raw.close())
  const filing = db.selectFrom('tasks').select('lane').where('lane', '=', 'filing')
  equal((await filing.forUpdate().skipLocked().execute()).length, 2)
  equal((await filing.distinct().execute()).length, 1)
})

describe('the index of words', () => {
  test('is merged into few parts, a little at a time, and finds the same', async t => {
    const { file } = await startOnFile(t)
    const { raw } = await openSqlite(file, 0)
    t.after(() => raw.close())
    raw.exec('pragma foreign_keys = off')
    const leads = Array.from({ length: 12 }, (_, id) => id + 1)
    for (const id of leads) raw.exec(`insert into lead_words (lead_id, words) values (${id}, 'ana${id} fair')`)
    const parts = () => Number(raw.prepare('select count(distinct segid) as n from lead_search_idx').get()?.['n'])
    const found = () =>
      raw
        .prepare(`select rowid from lead_search where lead_search match '"0:fair"' order by rowid`)
        .all()
        .map(row => row['rowid'])
    equal(parts(), 12)
    for (let left = 20; left > 0 && parts() > 3; left--) mergeWords(raw)
    ok(parts() <= 3)
    deepEqual(found(), leads)
    mergeWords(raw)
    raw.exec('delete from lead_words where lead_id <= 11')
    deepEqual(found(), [12])
    raw.exec(`insert into lead_search (lead_search) values ('integrity-check')`)
  })
})

describe('a batch', () => {
  test('of any size is stored in its order, without a gap, and its task covers all of it', async t => {
    const { file, database } = await startOnFile(t)
    const { raw } = await openSqlite(file, 0)
    t.after(() => raw.close())
    const acceptance = new SqliteAcceptance(raw)
    const sizes = [1, 2, 3, 7, 31, 32, 33, 63, 100]
    const batches = sizes.map(size => Array.from({ length: size }, () => anArrival()))
    for (const batch of batches) acceptance.accept(batch)
    const stored = await sql(database, 'select id, key from submissions order by id')
    deepEqual(
      stored.map(({ id, key }) => [Number(id), key]),
      batches.flat().map(({ key }, i) => [i + 1, key]),
    )
    const tasks = await sql(database, 'select subject, through from tasks order by id')
    const ends = sizes.map((_, i) => sizes.slice(0, i + 1).reduce((sum, size) => sum + size))
    deepEqual(
      tasks.map(({ subject, through }) => [Number(subject), Number(through)]),
      ends.map((end, i) => [(ends[i - 1] ?? 0) + 1, end]),
    )
  })
})

const isReplayed = (outcome: Outcome) => typeof outcome === 'object' && 'replayed' in outcome

describe('the key index', () => {
  test('gets the oldest keys first, and each key is found before and after', async t => {
    const { file, database } = await startOnFile(t)
    const { raw } = await openSqlite(file, 0)
    t.after(() => raw.close())
    const acceptance = new SqliteAcceptance(raw)
    const arrivals = Array.from({ length: 10 }, () => anArrival())
    acceptance.accept(arrivals)
    equal(acceptance.unindexed, 10)
    acceptance.indexKeys(4)
    equal(acceptance.unindexed, 6)
    equal(await countRows(database, 'idempotency_keys'), 4)
    ok(acceptance.accept(arrivals).every(isReplayed))
    acceptance.indexKeys(100)
    equal(acceptance.unindexed, 0)
    ok(acceptance.accept(arrivals).every(isReplayed))
  })

  test('finds a key before and after it was indexed, used again after its day, and after a restart', async t => {
    const { store, file, database, clock } = await startOnFile(t)
    const arrival = anArrival({ keyLifetime: DAY })
    const next = { ...arrival, receivedAt: arrival.receivedAt + DAY }
    equal(await store.accept(arrival), 'accepted')
    await untilIndexed(file, 1)
    ok(isReplayed(await store.accept(arrival)))
    equal(await store.accept(next), 'accepted')
    await untilIndexed(file, 2)
    ok(isReplayed(await store.accept(next)))
    const unindexed = anArrival()
    await store.accept(unindexed)
    await store.close()
    const again = await startStore(t, { database, clock })
    ok(isReplayed(await again.store.accept(next)))
    ok(isReplayed(await again.store.accept(unindexed)))
  })

  test('gets the keys that waited at a restart, even when nothing more comes', async t => {
    const { store, file, database, clock } = await startOnFile(t)
    await store.accept(anArrival())
    await store.close()
    await startStore(t, { database, clock })
    await untilIndexed(file, 1)
  })

  test('forgets nothing when a batch fails', async t => {
    const { file } = await startOnFile(t)
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
    deepEqual(acceptance.accept([arrival, failing[0] as never]), [{ replayed: 200 }, 'accepted'])
  })
})

describe('keys that wait for the index', () => {
  test('do so until a rush is over, unless many wait', () => {
    equal(keysToIndex({ waiting: 0, arrived: 0, paused: false }), 0)
    equal(keysToIndex({ waiting: 30, arrived: 50, paused: false }), 30)
    equal(keysToIndex({ waiting: 300, arrived: 300, paused: false }), 0)
    equal(keysToIndex({ waiting: 49_999, arrived: 1000, paused: false }), 0)
    equal(keysToIndex({ waiting: 49_999, arrived: 10, paused: false }), 500)
    equal(keysToIndex({ waiting: 50_000, arrived: 1000, paused: false }), 500)
  })

  test('do so for ten times as long as indexing the last ones took, unless many wait', t => {
    t.mock.method(performance, 'now', () => now)
    let now = 1000
    const { paused, run } = paced()
    equal(paused(), false)
    run(() => {
      now += 30
    })
    now += 269
    equal(keysToIndex({ waiting: 500, arrived: 0, paused: paused() }), 0)
    equal(keysToIndex({ waiting: 50_000, arrived: 0, paused: paused() }), 500)
    now += 1
    equal(keysToIndex({ waiting: 500, arrived: 0, paused: paused() }), 500)
  })

  test('are those of all processes on the file, and indexed by one of them wait in none', async t => {
    const { file, database } = await startOnFile(t)
    const open = async () => {
      const { raw } = await openSqlite(file, 0)
      t.after(() => raw.close())
      return new SqliteAcceptance(raw)
    }
    const [one, other] = [await open(), await open()]
    const [first, second, third] = [anArrival(), anArrival(), anArrival()]
    one.accept([first])
    other.accept([second])
    one.accept([third])
    deepEqual([one.unindexed, one.newest], [3, 3])
    ok(other.dryRun([first, second, third]).every(isReplayed))
    deepEqual([other.unindexed, other.newest], [3, 3])
    one.indexKeys(2)
    ok(other.dryRun([first, second, third]).every(isReplayed))
    equal(other.unindexed, 1)
    other.indexKeys(500)
    ok(one.accept([first, second, third]).every(isReplayed))
    equal(one.unindexed, 0)
    equal(await countRows(database, 'idempotency_keys'), 3)
  })

  test('are read again after a restart, whatever was used again meanwhile', async t => {
    const { file } = await startOnFile(t)
    const { raw } = await openSqlite(file, 0)
    t.after(() => raw.close())
    const arrival = anArrival({ keyLifetime: DAY })
    const again = { ...arrival, receivedAt: arrival.receivedAt + DAY }
    const before = new SqliteAcceptance(raw)
    before.accept([arrival, anArrival()])
    before.indexKeys(1)
    before.accept([again])
    const after = new SqliteAcceptance(raw)
    equal(after.unindexed, 2)
    deepEqual(after.accept([{ ...again, receivedAt: again.receivedAt + DAY - 1 }]), [{ replayed: 200 }])
  })

  test('are not forgotten when reading them again has failed', async t => {
    const { file, database } = await startOnFile(t)
    const { raw } = await openSqlite(file, 0)
    t.after(() => raw.close())
    const acceptance = new SqliteAcceptance(raw)
    const arrival = anArrival()
    acceptance.accept([arrival])
    await sql(database, 'alter table submissions rename to gone')
    throws(() => acceptance.accept([arrival]))
    await sql(database, 'alter table gone rename to submissions')
    // Node.js reports the error of a statement once more when it is next used.
    throws(() => acceptance.accept([arrival]))
    ok(acceptance.accept([arrival]).every(isReplayed))
  })
})

describe('opening a file', () => {
  const open = (t: TestContext, file: string) => startStore(t, { database: { engine: 'sqlite', file } })

  test('makes every connection durable: write-ahead log, full synchronous, foreign keys', async t => {
    const { file } = await startOnFile(t)
    const { raw } = await openSqlite(file, 0)
    t.after(() => raw.close())
    equal(raw.prepare('pragma journal_mode').get()?.['journal_mode'], 'wal')
    equal(raw.prepare('pragma synchronous').get()?.['synchronous'], 2)
    equal(raw.prepare('pragma foreign_keys').get()?.['foreign_keys'], 1)
  })

  test('makes tables that are strict about their types', async t => {
    const { database } = await startOnFile(t)
    const loose = `select name from pragma_table_list where schema = 'main'
      and type = 'table' and name not like 'sqlite_%' and strict = 0`
    deepEqual(await sql(database, loose), [])
  })

  test('that is not a database is rejected with a reason', async t => {
    const file = join(temporaryFolder(t), 'frontdesk.db')
    const letter = 'This is a letter, not a database, and long enough to be read as one.'
    writeFileSync(file, letter.repeat(20))
    await rejects(open(t, file), /not a database/)
  })

  test('in a folder that does not exist is refused with a reason', async t => {
    await rejects(open(t, join(temporaryFolder(t), 'no', 'db')), /unable to open/)
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

test('the thread of SQLite knows whether nothing was submitted since the last call', async t => {
  const { port1: here, port2: there } = new MessageChannel()
  const isIdle = await serveStore(there, { file: join(temporaryFolder(t), 'frontdesk.db'), now: 0 })
  t.after(() => here.postMessage({ id: 2, name: 'close', args: [] }))
  equal(isIdle(), true)
  const responses = on(here, 'message')
  here.postMessage({ id: 1, name: 'accept', args: [asText([anArrival()])] })
  for await (const [{ id }] of responses) if (id === 1) break
  equal(isIdle(), false)
  equal(isIdle(), true)
})
