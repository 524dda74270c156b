import { deepEqual, doesNotMatch, match, rejects } from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { closedReasons } from '../../src/leads/lead/stages.ts'
import { schemaVersion } from '../../src/store/migrations/migrate.ts'
import { openStore } from '../../src/store/open-store.ts'
import { testClock } from '../support/clock.ts'
import { type Engine, newDatabase, onEachEngine, sql } from '../support/engines.ts'
import { startStore } from '../support/store.ts'

onEachEngine(engine => {
  describe('opening the database', () => {
    test('eight processes may start at once on a new one; the schema is made once', async t => {
      const database = await newDatabase(t, engine)
      const stores = await Promise.all(Array.from({ length: 8 }, () => openStore(database, { clock: testClock() })))
      await Promise.all(stores.map(store => store.close()))
      const versions = await sql(database, 'select version from schema_versions order by version')
      deepEqual(
        versions.map(row => row['version']),
        [schemaVersion],
      )
    })

    test('again changes nothing of what is there', async t => {
      const { store, database, clock } = await startStore(t, { engine })
      const versions = () => sql(database, 'select * from schema_versions order by version')
      const before = await versions()
      await store.close()
      clock.advance(1)
      await startStore(t, { database, clock })
      deepEqual(await versions(), before)
    })
  })

  describe('the schema states the rules:', () => {
    test('a lead is in a stage of its kind, and closed for a reason that there is', async t => {
      const run = await withSubmissions(t, engine, closedReasons.length)
      await rejects(run(aLead({ stage: 'enrolled' })), /check/i)
      await rejects(run(aLead({ kind: 'student', stage: 'meeting' })), /check/i)
      await rejects(run(aLead({ kind: 'robot' })), /check/i)
      await rejects(run(aLead({ stage: 'closed' })), /leads_closed/)
      await rejects(run(aLead({ closed_reason: 'spam' })), /leads_closed/)
      await rejects(run(aLead({ stage: 'closed', closed_reason: 'bored' })), /check/i)
      for (const [index, reason] of closedReasons.entries())
        await run(aLead({ id: index + 1, stage: 'closed', closed_reason: reason }))
    })

    test('a task is in a state that there is, and one for files has a range', async t => {
      const run = await withSubmissions(t, engine, 1)
      await rejects(run(aTask({ state: 'forgotten' })), /check/i)
      await rejects(run(aTask({ lane: 'slow' })), /check/i)
      await rejects(run(aTask({ kind: 'dance' })), /check/i)
      await rejects(run(aTask({ kind: 'file', lane: 'filing' })), /tasks_range/)
      await rejects(run(aTask({ through: 1 })), /tasks_range/)
      await run(aTask({ kind: 'file', lane: 'filing', through: 1 }))
    })

    test('a submission has one of the responses, a kind and a body', async t => {
      const run = await withSubmissions(t, engine, 0)
      await rejects(run(aSubmission({ answer: 500 })), /check/i)
      await rejects(run(aSubmission({ kind: 'neither' })), /check/i)
      await rejects(run(aSubmission({ body: null })), /null/i)
    })

    test('there is one open lead for an address and kind, and any number of closed ones', async t => {
      const run = await withSubmissions(t, engine, 4)
      await run(aLead({ id: 1 }))
      await rejects(run(aLead({ id: 2 })), /unique/i)
      await run(aLead({ id: 2, kind: 'student' }))
      for (const id of [3, 4]) await run(aLead({ id, stage: 'closed', closed_reason: 'spam' }))
    })

    test('there is one task for a kind and subject', async t => {
      const run = await withSubmissions(t, engine, 1)
      await run(aTask({ subject: 1 }))
      await run(aTask({ subject: 2 }))
      await run(aTask({ subject: 1, kind: 'receipt' }))
      await rejects(run(aTask({ subject: 1 })), /unique/i)
    })

    test('a lead, its timeline and the quarantine are about submissions that exist', async t => {
      const run = await withSubmissions(t, engine, 1)
      const held = (submission_id: number) =>
        insert('quarantine', {
          submission_id,
          reason: 'honeypot',
          email_key: 'a@b',
          signals: '',
          state: 'held',
          held_at: 0,
        })
      const entry = (lead_id: number, submission_id: number) =>
        insert('timeline', { lead_id, at: 0, kind: 'submission', submission_id, detail: '' })
      await run(aLead({ id: 1 }))
      await run(held(1))
      await run(entry(1, 1))
      await rejects(run(aLead({ id: 9, person_key: 'c@d' })), /foreign key/i)
      await rejects(run(held(9)), /foreign key/i)
      await rejects(run(entry(9, 1)), /foreign key|unique/i)
      await rejects(run(entry(1, 9)), /foreign key/i)
      await rejects(run(entry(1, 1)), /unique/i)
      await rejects(run('delete from submissions where id = 1'), /foreign key/i)
    })

    test('looking for what is due never reads what is done', async t => {
      const { store, database } = await startStore(t, { engine })
      await store.close()
      const due = `select id from tasks where lane = 'mail' and state = 'due'
        and due_at <= 5 order by due_at, id limit 5`
      if (engine === 'sqlite') {
        const plan = (await sql(database, `explain query plan ${due}`)).map(row => row['detail'])
        match(plan.join('\n'), /tasks_due/)
        doesNotMatch(plan.join('\n'), /SCAN|TEMP B-TREE/)
        return
      }
      // A small table is read whole, which is right.
      await sql(
        database,
        `insert into tasks (lane, kind, subject, due_at, state, attempts, created_at)
         select 'mail', 'notify', n, 0, case when n % 1000 = 0 then 'due' else 'done' end, 0, 0
         from generate_series(1, 30000) as n`,
      )
      await sql(database, 'analyze tasks')
      const plan = (await sql(database, `explain ${due}`)).map(row => row['QUERY PLAN'])
      match(plan.join('\n'), /tasks_due/)
      doesNotMatch(plan.join('\n'), /Seq Scan|Sort/)
    })
  })
})

type Values = Record<string, string | number | null>

/** Runs statements on a schema with so many submissions. */
async function withSubmissions(t: TestContext, engine: Engine, count: number) {
  const { store, database } = await startStore(t, { engine })
  await store.close()
  for (let id = 1; id <= count; id++) await sql(database, aSubmission({ id }))
  return (statement: string) => sql(database, statement)
}

const insert = (table: string, values: Values): string => {
  const literals = Object.values(values).map(value => (typeof value === 'string' ? `'${value}'` : String(value)))
  return `insert into ${table} (${Object.keys(values)}) values (${literals})`
}

const aSubmission = (over: Values): string =>
  insert('submissions', {
    kind: 'site',
    received_at: 0,
    key: 'k',
    fingerprint: 'f',
    email: 'a@b',
    answer: 200,
    body: '{}',
    client_address: '',
    ...over,
  })

const aLead = (over: Values): string =>
  insert('leads', {
    id: 1,
    kind: 'site',
    stage: 'new',
    closed_reason: null,
    email: 'a@b',
    person_key: 'a@b',
    first_name: 'A',
    last_name: 'B',
    phone: '1',
    created_at: 0,
    updated_at: 0,
    ...over,
  })

const aTask = (over: Values): string =>
  insert('tasks', {
    lane: 'mail',
    kind: 'notify',
    subject: 1,
    due_at: 0,
    state: 'due',
    attempts: 0,
    created_at: 0,
    ...over,
  })
