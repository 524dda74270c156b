/** Servers that speak the language of PostgreSQL and lack a part of it, such as distributed engines. */
import { deepEqual, equal, rejects } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { countRows, newDatabase, sql } from '../support/engines.ts'
import { aFiling, anArrival, noStaff, someDigest, startStore, type TestStore } from '../support/store.ts'

async function fileOne({ store, clock }: TestStore): Promise<void> {
  const now = clock.now()
  await store.accept(anArrival())
  const tasks = await store.claimTasks({ lane: 'filing', now, token: 'A', limit: 1 })
  const terms = { now, quarantine: { days: 30, capacity: 10 }, digest: someDigest, staffing: noStaff }
  equal(await store.fileSubmissions(tasks, [aFiling(1)], terms), true)
}

describe('on a server that is compatible with PostgreSQL', () => {
  test('a service starts and files where storage parameters are not supported', async t => {
    const database = await newDatabase(t, 'postgres')
    for (const statement of [
      `create function refuse() returns event_trigger language plpgsql as $$
        begin raise exception 'storage parameters are not supported' using errcode = '0A000'; end $$`,
      `create event trigger refuse_parameters on ddl_command_start when tag in ('ALTER TABLE', 'ALTER INDEX')
        execute function refuse()`,
    ])
      await sql(database, statement)
    await fileOne(await startStore(t, { database }))
    // Once when it was opened, and once for what happened with it.
    equal(await countRows(database, 'changed_leads'), 2)
    const set = `select relname from pg_class where reloptions is not null and relnamespace = 'public'::regnamespace`
    deepEqual(await sql(database, set), [])
  })

  test('a service works where LISTEN is not supported, and does not ask for it again', async t => {
    const { query } = pg.Client.prototype
    let asked = 0
    t.mock.method(pg.Client.prototype, 'query', function (this: pg.Client, ...args: unknown[]) {
      if (!String(args[0]).startsWith('listen')) return Reflect.apply(query, this, args)
      asked++
      return Promise.reject(
        Object.assign(new pg.DatabaseError('LISTEN is unimplemented', 0, 'error'), { code: '0A000' }),
      )
    })
    const service = await startStore(t, { engine: 'postgres' })
    service.store.onLeadsChanged(() => {})
    await fileOne(service)
    service.store.announceLeads()
    // Longer than it would take to connect again.
    await sleep(2000)
    equal(asked, 1)
    equal((await service.store.listLeads({ limit: 2 })).length, 1)
  })

  test('an id that a number cannot hold is an error, never another id', async t => {
    const service = await startStore(t, { engine: 'postgres' })
    await fileOne(service)
    await sql(service.database, `select setval('submissions_id_seq', 9007199254740992)`)
    const accepted = service.store.accept(anArrival())
    await rejects(accepted, ({ cause }: Error) => /9007199254740993; .* up to 2\^53/.test(String(cause)))
    for (const statement of [
      `insert into submissions (id, kind, received_at, key, fingerprint, email, answer, body, client_address)
       select 9007199254740995, kind, received_at, 'another', fingerprint, email, answer, body, client_address
       from submissions where id = 1`,
      `insert into leads (id, kind, stage, email, person_key, first_name, last_name, phone, created_at, updated_at)
       select 9007199254740995, 'site', stage, email, person_key, first_name, last_name, phone, created_at, updated_at
       from leads where id = 1`,
    ])
      await sql(service.database, statement)
    await rejects(service.store.listLeads({ limit: 2 }), /the number 9007199254740995/)
  })
})
