/** Upgrading a database to a later version of the schema: nothing that is in it may be lost or change. */
import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict'
import { once } from 'node:events'
import { DatabaseSync } from 'node:sqlite'
import { describe, type TestContext, test } from 'node:test'
import { Worker } from 'node:worker_threads'
import type { DatabaseAddress } from '../../src/config/environment.ts'
import { schemaVersion } from '../../src/store/migrations/migrate.ts'
import { type Engine, newDatabase, onEachEngine, sql } from '../support/engines.ts'
import { aFiling, anArrival, noStaff, someDigest, startStore } from '../support/store.ts'
import { laterVersion, upgrade } from './later-version.ts'
import { wholeDatabase } from './whole-database.ts'

/** A database of the newest version, with a lead and a hand-over. */
async function aDatabase(t: TestContext, engine: Engine): Promise<DatabaseAddress> {
  const { store, database, clock } = await startStore(t, { engine })
  await store.accept(anArrival())
  const now = clock.now()
  const tasks = await store.claimTasks({ lane: 'filing', now, token: 'A', limit: 1 })
  const terms = { now, quarantine: { days: 30, capacity: 10 }, digest: someDigest, staffing: noStaff }
  await store.fileSubmissions(tasks, [aFiling(1)], terms)
  await store.close()
  await sql(database, aHandOver('done'))
  return database
}

const aHandOver = (state: string) =>
  `insert into hand_overs (at, from_owner, from_name, actor, plan, state, version, turns, recipients)
   values (1, 'ana', 'Ana "Ö" Ruiz', 'jo', '{}', '${state}', 1, '{}', '[]')`

const versionsOf = async (database: DatabaseAddress) =>
  (await sql(database, 'select version from schema_versions order by version')).map(({ version }) => Number(version))

/** The indexes and constraints that there are, each by name with its definition. */
async function rulesOf(database: DatabaseAddress): Promise<Map<string, string>> {
  const rules =
    database.engine === 'sqlite'
      ? await sql(database, `select name, sql as rule from sqlite_schema`)
      : await sql(
          database,
          `select indexname as name, indexdef as rule from pg_indexes where schemaname = 'public'
           union all select conname, pg_get_constraintdef(oid) from pg_constraint
           where connamespace = 'public'::regnamespace`,
        )
  return new Map(rules.map(({ name, rule }) => [String(name), String(rule)]))
}

const checkOf = (engine: Engine) => (engine === 'sqlite' ? 'hand_overs' : 'hand_overs_state_check')

onEachEngine(engine => {
  describe('upgrading a database', () => {
    test('keeps every row, every rule, and what refers to what', async t => {
      const database = await aDatabase(t, engine)
      const [rows, rules] = [await wholeDatabase(database), await rulesOf(database)]
      await upgrade(database)
      deepEqual(await versionsOf(database), [schemaVersion, laterVersion])
      const { prizes, schema_versions: _, sequences, ...after } = await wholeDatabase(database)
      deepEqual(prizes, [])
      for (const [table, was] of Object.entries(rows)) {
        if (table === 'schema_versions' || table === 'sequences') continue
        const added = table === 'leads' ? ',"nickname":null}' : '}'
        deepEqual(
          after[table],
          was.map(row => row.replace(/}$/, added)),
        )
      }
      for (const sequence of rows['sequences'] ?? []) ok(sequences?.includes(sequence), sequence)
      const now = await rulesOf(database)
      for (const [name, rule] of rules)
        if (name !== checkOf(engine) && name !== 'leads') equal(now.get(name), rule, name)
      await rejects(sql(database, 'delete from submissions where id = 1'), /foreign key/i)
      if (engine === 'sqlite') match(JSON.stringify(await sql(database, 'pragma integrity_check')), /"ok"/)
    })

    test('may let a column hold more values, and no others', async t => {
      const database = await aDatabase(t, engine)
      await rejects(sql(database, aHandOver('stopped')), /check/i)
      await upgrade(database)
      await sql(database, aHandOver('stopped'))
      await rejects(sql(database, aHandOver('lost')), /check/i)
    })

    test('that fails at its end changes nothing, and is done later', async t => {
      const database = await aDatabase(t, engine)
      await sql(database, 'create table prizes (name text)')
      const before = [await wholeDatabase(database), await rulesOf(database)]
      await rejects(upgrade(database), /prizes/)
      deepEqual([await wholeDatabase(database), await rulesOf(database)], before)
      await sql(database, 'drop table prizes')
      await upgrade(database)
      deepEqual(await versionsOf(database), [schemaVersion, laterVersion])
    })

    test('in eight processes at once is done once', async t => {
      const database = await aDatabase(t, engine)
      const thread = new URL('./upgrade-thread.ts', import.meta.url)
      await Promise.all(Array.from({ length: 8 }, () => once(new Worker(thread, { workerData: database }), 'exit')))
      deepEqual(await versionsOf(database), [schemaVersion, laterVersion])
    })
  })

  describe('a database is refused as it is, with what to do,', () => {
    test('when a newer program has used it', async t => {
      const database = await aDatabase(t, engine)
      await upgrade(database)
      const before = await wholeDatabase(database)
      await rejects(startStore(t, { database }), /schema version \d+, and this program knows \d+: .* restore a backup/)
      deepEqual(await wholeDatabase(database), before)
    })

    test('when a development version has made it', async t => {
      const database = await newDatabase(t, engine)
      const integer = engine === 'sqlite' ? 'integer' : 'bigint'
      await sql(database, `create table schema_versions (version integer primary key, applied_at ${integer} not null)`)
      await sql(database, 'create table leads (id integer primary key)')
      for (const version of [1, 38]) {
        await sql(database, `insert into schema_versions values (${version}, 0)`)
        const before = await wholeDatabase(database)
        await rejects(
          startStore(t, { database }),
          /a development version before 0\.1\.0.* Start with an empty database/,
        )
        deepEqual(await wholeDatabase(database), before)
      }
    })
  })
})

test('a file in which something refers to a row that is not there is refused as it is', async t => {
  const database = await aDatabase(t, 'sqlite')
  ok(database.engine === 'sqlite')
  const raw = new DatabaseSync(database.file, { enableForeignKeyConstraints: false })
  raw.exec('delete from submissions where id = 1')
  raw.close()
  await rejects(upgrade(database), /refers to a row that does not exist/)
  deepEqual(await versionsOf(database), [schemaVersion])
})
