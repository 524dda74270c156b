import { deepEqual, equal, ok, rejects, throws } from 'node:assert/strict'
import { on } from 'node:events'
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, type TestContext, test } from 'node:test'
import { MessageChannel } from 'node:worker_threads'
import { DAY } from '../../src/platform/time.ts'
import type { Arrival, Outcome } from '../../src/store/acceptance/arrival.ts'
import { SqliteAcceptance } from '../../src/store/sqlite/acceptance.ts'
import { copyDatabase, draftFrom, replaceDatabase, verifyCopy } from '../../src/store/sqlite/backup.ts'
import { asText } from '../../src/store/sqlite/batch-text.ts'
import { openSqlite } from '../../src/store/sqlite/database.ts'
import { mergeWords } from '../../src/store/sqlite/index-words.ts'
import { keysToIndex, paced } from '../../src/store/sqlite/keys-to-index.ts'
import { overwriteDeleted } from '../../src/store/sqlite/overwrite.ts'
import { serveStore } from '../../src/store/sqlite/serve-store.ts'
import { countRows, sql } from '../support/engines.ts'
import { temporaryFolder } from '../support/folder.ts'
import { anArrival, startStore } from '../support/store.ts'

/** Accepts a batch in a commit of its own. */
function acceptOn(acceptance: SqliteAcceptance, arrivals: Arrival[]): Outcome[] {
  const { result, onDisk } = acceptance.accept(arrivals)
  onDisk()
  return result
}

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
    for (const batch of batches) acceptOn(acceptance, batch)
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

describe('a batch in a commit that others share', () => {
  test('is known once that is on the disk, and forgotten if it fails', async t => {
    const { file, database } = await startOnFile(t)
    const { raw } = await openSqlite(file, 0)
    t.after(() => raw.close())
    const acceptance = new SqliteAcceptance(raw)
    const [lost, kept, indexed] = [anArrival(), anArrival(), anArrival()]
    acceptOn(acceptance, [indexed])
    raw.exec('begin immediate')
    deepEqual(acceptance.accept([lost]).result, ['accepted'])
    acceptance.indexKeys(1)
    raw.exec('rollback')
    deepEqual(acceptance.dryRun([lost, indexed]), ['accepted', { replayed: 200 }])
    equal(acceptance.unindexed, 1)
    raw.exec('begin immediate')
    const { result, onDisk } = acceptance.accept([kept])
    raw.exec('commit')
    onDisk()
    deepEqual([result, acceptOn(acceptance, [kept])], [['accepted'], [{ replayed: 200 }]])
    equal(await countRows(database, 'submissions'), 2)
  })

  test('takes none of the others with it when it fails', async t => {
    const { file, database } = await startOnFile(t)
    const { raw } = await openSqlite(file, 0)
    t.after(() => raw.close())
    const acceptance = new SqliteAcceptance(raw)
    raw.exec('begin immediate')
    raw.exec(`insert into secrets (name, value) values ('before', 'x')`)
    throws(() => acceptance.accept([anArrival(), anArrival({ kind: 'neither' as never })]))
    raw.exec('commit')
    equal(await countRows(database, 'submissions'), 0)
    equal((await sql(database, `select name from secrets where name = 'before'`)).length, 1)
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
    acceptOn(acceptance, arrivals)
    equal(acceptance.unindexed, 10)
    acceptance.indexKeys(4).onDisk()
    equal(acceptance.unindexed, 6)
    equal(await countRows(database, 'idempotency_keys'), 4)
    ok(acceptOn(acceptance, arrivals).every(isReplayed))
    acceptance.indexKeys(100).onDisk()
    equal(acceptance.unindexed, 0)
    ok(acceptOn(acceptance, arrivals).every(isReplayed))
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
    acceptOn(acceptance, [arrival])
    const failing = [anArrival(), anArrival({ kind: 'neither' as never })]
    try {
      acceptOn(acceptance, failing)
    } catch {
      // Expected; what matters is what is known afterwards.
    }
    deepEqual(acceptOn(acceptance, [arrival, failing[0] as never]), [{ replayed: 200 }, 'accepted'])
  })
})

describe('keys that wait for the index', () => {
  test('wait until a rush is over, unless there are many', () => {
    equal(keysToIndex({ waiting: 0, arrived: 0, paused: false }), 0)
    equal(keysToIndex({ waiting: 30, arrived: 50, paused: false }), 30)
    equal(keysToIndex({ waiting: 300, arrived: 300, paused: false }), 0)
    equal(keysToIndex({ waiting: 49_999, arrived: 1000, paused: false }), 0)
    equal(keysToIndex({ waiting: 49_999, arrived: 10, paused: false }), 500)
    equal(keysToIndex({ waiting: 50_000, arrived: 1000, paused: false }), 500)
  })

  test('wait ten times as long as indexing the last ones took, unless there are many', t => {
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

  test('are those of all processes on the file: once one process has indexed them, they wait in none', async t => {
    const { file, database } = await startOnFile(t)
    const open = async () => {
      const { raw } = await openSqlite(file, 0)
      t.after(() => raw.close())
      return new SqliteAcceptance(raw)
    }
    const [one, other] = [await open(), await open()]
    const [first, second, third] = [anArrival(), anArrival(), anArrival()]
    acceptOn(one, [first])
    acceptOn(other, [second])
    acceptOn(one, [third])
    deepEqual([one.unindexed, one.newest], [3, 3])
    ok(other.dryRun([first, second, third]).every(isReplayed))
    deepEqual([other.unindexed, other.newest], [3, 3])
    one.indexKeys(2).onDisk()
    ok(other.dryRun([first, second, third]).every(isReplayed))
    equal(other.unindexed, 1)
    other.indexKeys(500).onDisk()
    ok(acceptOn(one, [first, second, third]).every(isReplayed))
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
    acceptOn(before, [arrival, anArrival()])
    before.indexKeys(1).onDisk()
    acceptOn(before, [again])
    const after = new SqliteAcceptance(raw)
    equal(after.unindexed, 2)
    deepEqual(acceptOn(after, [{ ...again, receivedAt: again.receivedAt + DAY - 1 }]), [{ replayed: 200 }])
  })

  test('are not forgotten when reading them again has failed', async t => {
    const { file, database } = await startOnFile(t)
    const { raw } = await openSqlite(file, 0)
    t.after(() => raw.close())
    const acceptance = new SqliteAcceptance(raw)
    const arrival = anArrival()
    acceptOn(acceptance, [arrival])
    await sql(database, 'alter table submissions rename to gone')
    throws(() => acceptOn(acceptance, [arrival]))
    await sql(database, 'alter table gone rename to submissions')
    // Node.js reports the error of a statement once more when it is next used.
    throws(() => acceptOn(acceptance, [arrival]))
    ok(acceptOn(acceptance, [arrival]).every(isReplayed))
  })
})

function thrownBy(work: () => void): unknown {
  try {
    return work()
  } catch (error) {
    return error
  }
}

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

  test('that was moved over the database, whose log is still there, does not open it, and says what to do', async t => {
    const file = join(temporaryFolder(t), 'frontdesk.db')
    const { raw } = await openSqlite(file, 0)
    t.after(() => raw.close())
    const backup = join(temporaryFolder(t), 'backup.db')
    copyDatabase(file, backup)
    for (let i = 0; i < 300; i++) raw.exec(`create table later_${i} (text text)`)
    // As a process leaves it that is killed.
    const moved = join(temporaryFolder(t), 'frontdesk.db')
    copyFileSync(backup, moved)
    copyFileSync(`${file}-wal`, `${moved}-wal`)
    const before = readFileSync(moved)
    for (const opens of [() => open(t, moved), () => Promise.reject(thrownBy(() => verifyCopy(moved)))])
      await rejects(opens(), /frontdesk\.db-wal is the log of another database.*npx frontdesk restore/)
    ok(readFileSync(moved).equals(before))
    // It is not opened to be replaced, either.
    const draft = draftFrom(backup, moved)
    equal(replaceDatabase(moved, { draft, kept: `${moved}.replaced` }), undefined)
    ok(readFileSync(`${moved}.replaced`).equals(before))
    equal(verifyCopy(moved).leads, 0)
    await open(t, moved)
  })

  test('that is damaged is rejected with what to do', async t => {
    const { file, store } = await startOnFile(t)
    await store.close()
    const bytes = readFileSync(file)
    writeFileSync(file, bytes.fill(7, 4096))
    await rejects(open(t, file), /malformed; .*npx frontdesk restore BACKUP --replace/)
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

test('batches that wait in the thread of SQLite are accepted together, and each has its own reply', async t => {
  const { port1: here, port2: there } = new MessageChannel()
  const file = join(temporaryFolder(t), 'frontdesk.db')
  await serveStore(there, { file, now: 0 })
  t.after(() => here.postMessage({ id: 4, name: 'close', args: [] }))
  const responses = on(here, 'message')
  const [one, other, third] = [anArrival(), anArrival(), anArrival()]
  for (const [i, batch] of [[one], [one, other], [other, third]].entries())
    here.postMessage({ id: i + 1, name: 'accept', args: [asText(batch)] })
  const results = new Map<number, Outcome[]>()
  for await (const [{ id, result }] of responses) if (id !== undefined && results.set(id, result).size === 3) break
  const replayed = { replayed: 200 }
  deepEqual([results.get(1), results.get(2)], [['accepted'], [replayed, 'accepted']])
  deepEqual(results.get(3), [replayed, 'accepted'])
  equal(await countRows({ engine: 'sqlite', file }, 'tasks'), 2, 'the first one does not wait for others')
})

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
