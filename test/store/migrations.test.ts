/** A database of the version before, brought up to date: nothing that is in it may be lost or change. */
import { deepEqual, equal, ok, rejects } from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { describe, test } from 'node:test'
import type { DatabaseAddress } from '../../src/config/environment.ts'
import { storeList } from '../../src/console/imports/upload.ts'
import { openStore } from '../../src/store/open-store.ts'
import { startApp } from '../support/app.ts'
import { testClock } from '../support/clock.ts'
import { onEachEngine, sql } from '../support/engines.ts'
import { startStore } from '../support/store.ts'
import { entry, ofVersion2, submission, task } from './version-2.ts'

const tables = [
  'submissions',
  'idempotency_keys',
  'leads',
  'timeline',
  'tasks',
  'quarantine',
  'message_texts',
  'secrets',
]

async function upgrade(database: DatabaseAddress): Promise<void> {
  const store = await openStore(database, { clock: testClock() })
  await store.close()
}

async function contents(database: DatabaseAddress) {
  const found: Record<string, Record<string, unknown>[]> = {}
  for (const table of tables) {
    const all = await sql(database, `select * from ${table} order by 1`)
    found[table] = all.map(row => ({ ...row }))
  }
  return found
}

/** The indexes and constraints that there are, each by name with its definition. */
async function rulesOf(database: DatabaseAddress): Promise<Map<string, string>> {
  const rules =
    database.engine === 'sqlite'
      ? await sql(database, `select name, sql as rule from sqlite_schema where type = 'index'`)
      : await sql(
          database,
          `select indexname as name, indexdef as rule from pg_indexes where schemaname = 'public'
           union all select conname, pg_get_constraintdef(oid) from pg_constraint
           where connamespace = 'public'::regnamespace`,
        )
  return new Map(rules.map(({ name, rule }) => [String(name), String(rule)]))
}

const versionOf = async (database: DatabaseAddress) => {
  const [row] = await sql(database, 'select max(version) as version from schema_versions')
  return Number(row?.['version'])
}

const closeAs = (lead: number, reason: string) =>
  `update leads set stage = 'closed', closed_reason = '${reason}' where id = ${lead}`

/** The columns that later versions have added to each table, as they are for older rows. */
const added: Record<string, object> = {
  leads: {
    cadence_id: null,
    follow_up_since: null,
    first_attempt_at: null,
    first_contact_at: null,
    paused_at: null,
    paused_until: null,
    replied_at: null,
    owner: null,
    account: 0,
    closing_at: null,
    language: null,
    language_at: null,
    latest_phone: null,
    mailbox_key: null,
    corrected_at: null,
    campaign: null,
    came_from: null,
    consent: null,
    consent_at: null,
    stage_since: null,
    merged_into: null,
  },
  timeline: { actor: null, was: null, undone_at: null, mail: null, merged_from: null },
  submissions: { form: null },
  quarantine: { decided_by: null },
  tasks: { step: 0, begun_at: null, acknowledged_at: null, scheduled_at: null },
}

onEachEngine(engine => {
  describe('the step from version 2 to the follow-up', () => {
    test('keeps every row with its id, whatever it holds', async t => {
      const database = await ofVersion2(t, engine)
      const before = await contents(database)
      deepEqual(
        tables.map(table => before[table]?.length),
        [4, 5, 2, 3, 5, 1, 1, 1],
      )
      await upgrade(database)
      ok((await versionOf(database)) >= 3)
      const after = await contents(database)
      for (const table of tables) {
        deepEqual(
          after[table],
          before[table]?.map(row => ({ ...row, ...added[table] })),
        )
      }
    })

    test('gives no id a second time, also that of a row that is gone', async t => {
      const database = await ofVersion2(t, engine)
      await upgrade(database)
      for (const [table, statement, next] of [
        ['submissions', submission(6), 6],
        ['timeline', entry(2, 'email', 2), 5],
        ['tasks', task('mail', 'digest', 20261123, 'due'), 7],
      ] as const) {
        await sql(database, statement)
        const [row] = await sql(database, `select max(id) as id from ${table}`)
        equal(Number(row?.['id']), next, table)
      }
    })

    test('leaves every index and what refers to what', async t => {
      const database = await ofVersion2(t, engine)
      const before = await rulesOf(database)
      ok(before.size >= 15)
      await upgrade(database)
      const after = await rulesOf(database)
      const changed = new Set([
        'submissions_answer_check',
        'timeline_kind_check',
        'tasks_once',
        'leads_closed_reason_check',
        'quarantine_reason_check',
      ])
      for (const [name, rule] of before) {
        if (changed.has(name) || (name.startsWith('tasks_') && name.endsWith('_check'))) ok(after.has(name), name)
        else equal(after.get(name), rule, name)
      }
      await rejects(sql(database, 'delete from submissions where id = 1'), /foreign key/i)
      await rejects(sql(database, entry(9, 'email', 1)), /foreign key/i)
      await rejects(sql(database, entry(1, 'email', 9)), /foreign key/i)
      await rejects(sql(database, entry(1, 'submission', 1)), /unique/i)
      if (database.engine === 'sqlite') {
        deepEqual(await sql(database, 'pragma foreign_key_check'), [])
        deepEqual(await sql(database, `select * from sqlite_schema where sql like '%rebuilt%'`), [])
        deepEqual(
          await sql(database, 'pragma integrity_check'),
          [{ integrity_check: 'ok' }].map(row => Object.assign(Object.create(null), row)),
        )
      }
    })

    test('widens what there may be, and no further', async t => {
      const database = await ofVersion2(t, engine)
      for (const statement of [
        submission(6, 'student', 409),
        entry(1, 'note', 1),
        task('mail', 'news', 1, 'due'),
        entry(1, 'undone', 1),
        task('pauses', 'resume', 1, 'due'),
        closeAs(2, 'never contacted'),
        closeAs(2, 'not a lead'),
      ]) {
        await rejects(sql(database, statement), /check/i)
      }
      await upgrade(database)
      const step = (number: number) =>
        sql(
          database,
          `insert into tasks (lane, kind, subject, step, due_at, state, attempts, created_at)
           values ('follow-up', 'step', 1, ${number}, 0, 'due', 0, 0)`,
        )
      await step(0)
      await step(1)
      await rejects(step(1), /unique/i)
      await rejects(sql(database, task('mail', 'notify', 1, 'due')), /unique/i)
      await sql(database, submission(6, 'student', 409))
      await sql(database, entry(1, 'note', 1))
      await sql(database, task('mail', 'news', 1, 'due'))
      await sql(database, entry(1, 'undone', 1))
      await sql(database, task('pauses', 'resume', 1, 'due'))
      await sql(database, closeAs(2, 'never contacted'))
      await sql(database, closeAs(2, 'not a lead'))
      await rejects(sql(database, closeAs(2, 'bored')), /check/i)
      await rejects(sql(database, submission(7, 'student', 500)), /check/i)
      await rejects(sql(database, entry(1, 'dance', 1)), /check/i)
      await rejects(sql(database, task('mail', 'dance', 1, 'due')), /check/i)
      await rejects(sql(database, task('slow', 'news', 2, 'due')), /check/i)
      await rejects(sql(database, task('filing', 'file', 9, 'due')), /tasks_range/)
    })

    test('interrupted at its end leaves version 2 as it was, and is done later', async t => {
      const database = await ofVersion2(t, engine)
      const before = await contents(database)
      const rules = await rulesOf(database)
      await sql(database, 'create table mailboxes (name text)')
      await rejects(upgrade(database), /mailboxes/)
      equal(await versionOf(database), 2)
      deepEqual(await contents(database), before)
      deepEqual(await rulesOf(database), rules)
      await sql(database, 'drop table mailboxes')
      await upgrade(database)
      equal((await contents(database))['leads']?.length, 2)
    })

    test('done by eight processes at once is done once', async t => {
      const database = await ofVersion2(t, engine)
      await Promise.all(Array.from({ length: 8 }, () => upgrade(database)))
      const versions = await sql(database, 'select version from schema_versions where version = 3')
      equal(versions.length, 1)
      equal((await contents(database))['tasks']?.length, 5)
    })

    test('keeps what was found of an uploaded list whose rows were called refused', async t => {
      const { store, database } = await startStore(t, { engine })
      const bytes = Buffer.from('name,email\nA,a@mail.example\nB,b')
      const id = await storeList(store, { bytes, fileName: 'a.csv', by: 'Jo', now: 1 })
      await store.close()
      for (const statement of [
        'alter table imports drop column rejected',
        'alter table lead_facts drop column entered',
        'update imports set refused = 1',
        "update import_rows set outcome = 'refused' where row_number = 3",
        'delete from schema_versions where version >= 37',
      ])
        await sql(database, statement)
      const { store: later } = await startStore(t, { database })
      equal((await later.readImport(Number(id)))?.counts.rejected, 1)
      const rows = await later.readImportRows(Number(id), { after: 0, limit: 9, outcome: 'rejected' })
      deepEqual(
        rows.map(({ row }) => row),
        [3],
      )
    })

    test('lets the service go on: old leads are not followed up, new ones are', async t => {
      const database = await ofVersion2(t, engine)
      const service = await startApp(t, { database })
      await service.settle()
      const { store } = service.app
      deepEqual((await store.listLeads({ limit: 9 })).map(lead => [lead.id, lead.stage]).sort(), [
        [1, 'closed'],
        [2, 'meeting'],
        [4, 'new'],
      ])
      equal(await store.readFollowUp(1), undefined)
      equal((await store.readFollowUp(4))?.steps.length, 3)
      equal(await store.releaseQuarantined(3, service.clock.now()), true)
      await service.settle()
      equal((await store.readLead(2))?.submissions.length, 2)
    })
  })
})

test('a file in which something refers to a row that is not there is refused as it is', async t => {
  const database = await ofVersion2(t, 'sqlite')
  ok(database.engine === 'sqlite')
  const raw = new DatabaseSync(database.file, { enableForeignKeyConstraints: false })
  raw.exec('delete from submissions where id = 2')
  raw.close()
  await rejects(startStore(t, { database }), /refers to a row that does not exist/)
  equal(await versionOf(database), 2)
})
