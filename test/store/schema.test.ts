import { equal, match, rejects, throws } from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, test } from 'node:test'
import { openSqlite } from '../../src/store/sqlite.ts'
import { openStore } from '../../src/store/store.ts'
import { testClock } from '../support/clock.ts'
import { temporaryFolder } from '../support/folder.ts'
import { startStore } from '../support/store.ts'

describe('opening the database', () => {
  test('every connection is durable: write-ahead log, full synchronous, foreign keys', async t => {
    const { file } = await startStore(t)
    const { raw } = await openSqlite(file, 0)
    t.after(() => raw.close())
    equal(raw.prepare('pragma journal_mode').get()?.['journal_mode'], 'wal')
    equal(raw.prepare('pragma synchronous').get()?.['synchronous'], 2)
    equal(raw.prepare('pragma foreign_keys').get()?.['foreign_keys'], 1)
  })

  test('eight processes may start at once on a new file; the schema is made once', async t => {
    const file = join(temporaryFolder(t), 'frontdesk.db')
    const stores = await Promise.all(
      Array.from({ length: 8 }, () =>
        openStore({ engine: 'sqlite', file }, { clock: testClock() }),
      ),
    )
    await Promise.all(stores.map(store => store.close()))
    const db = new DatabaseSync(file, { readOnly: true })
    equal(db.prepare('select count(*) as n from schema_versions').get()?.['n'], 1)
    db.close()
  })

  test('a database of a newer program is refused', async t => {
    const { store, file } = await startStore(t)
    await store.close()
    const db = new DatabaseSync(file)
    db.exec('insert into schema_versions values (99, 0)')
    db.close()
    await rejects(startStore(t, { file }), /schema version 99/)
  })

  test('a file that is no database is refused with a reason', async t => {
    const file = join(temporaryFolder(t), 'frontdesk.db')
    writeFileSync(
      file,
      'This is a letter, not a database, and long enough to be read as one.'.repeat(20),
    )
    await rejects(startStore(t, { file }), /not a database/)
  })

  test('a folder that does not exist is refused with a reason', async t => {
    await rejects(startStore(t, { file: join(temporaryFolder(t), 'no', 'db') }), /unable to open/)
  })
})

describe('the schema states the rules', () => {
  test('tables are strict, and a lead is in a stage of its kind', async t => {
    const { file, store } = await startStore(t)
    await store.close()
    const db = new DatabaseSync(file, { enableForeignKeyConstraints: true })
    t.after(() => db.close())
    const strict = db
      .prepare(`select name from pragma_table_list where schema = 'main'
      and type = 'table' and name not like 'sqlite_%' and strict = 0`)
      .all()
    equal(strict.length, 0)

    db.exec(`insert into submissions values (1, 'site', 0, 'k', 'f', 'a@b.example', 200, '{}', '')`)
    const lead = (stage: string, reason: string | null) =>
      db
        .prepare(`insert into leads values (1, 'site', ?, ?, 'a@b.example', 'a@b.example', 'A', 'B',
          '1', null, null, null, 0, 0)`)
        .run(stage, reason)
    throws(() => lead('enrolled', null), /CHECK/)
    throws(() => lead('closed', null), /leads_closed/)
    throws(() => lead('new', 'spam'), /leads_closed/)
    throws(() => lead('closed', 'bored'), /CHECK/)
    lead('closed', 'spam')
    throws(
      () =>
        db.exec(`insert into tasks (lane, kind, subject, due_at, state, attempts, created_at)
      values ('mail', 'notify', 1, 0, 'forgotten', 0, 0)`),
      /CHECK/,
    )
  })

  test('there is one open lead for an address and kind, one task for a kind and subject', async t => {
    const { file, store } = await startStore(t)
    await store.close()
    const db = new DatabaseSync(file)
    t.after(() => db.close())
    for (const id of [1, 2]) {
      db.exec(`insert into submissions values (${id}, 'site', 0, 'k', 'f', 'a@b', 200, '{}', '')`)
    }
    const lead = (id: number) =>
      db.exec(`insert into leads values (${id}, 'site', 'new', null, 'a@b', 'a@b', 'A', 'B', '1',
        null, null, null, 0, 0)`)
    lead(1)
    throws(() => lead(2), /UNIQUE/)
    const task = `insert into tasks (lane, kind, subject, due_at, state, attempts, created_at)
      values ('mail', 'notify', 1, 0, 'due', 0, 0)`
    db.exec(task)
    throws(() => db.exec(task), /UNIQUE/)
  })

  test('looking for what is due never reads what is done', async t => {
    const { file, store } = await startStore(t)
    await store.close()
    const db = new DatabaseSync(file)
    t.after(() => db.close())
    const plan = db
      .prepare(`explain query plan select id from tasks where lane = 'mail' and state = 'due'
        and due_at <= 5 order by due_at, id limit 5`)
      .all()
      .map(row => row['detail'])
      .join('\n')
    match(plan, /tasks_due/)
    equal(/SCAN|TEMP B-TREE/.test(plan), false)
  })
})
