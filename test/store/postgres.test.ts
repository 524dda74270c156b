import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { describe, type TestContext, test } from 'node:test'
import { inspect } from 'node:util'
import pg from 'pg'
import { openStore } from '../../src/store/open-store.ts'
import { PostgresAcceptance } from '../../src/store/postgres/acceptance.ts'
import { connectionTo, createPool, queriesOver } from '../../src/store/postgres/connections.ts'
import { limitKeys } from '../../src/store/postgres/limit-keys.ts'
import { testClock } from '../support/clock.ts'
import { countRows, newDatabase, sql, urlOf } from '../support/engines.ts'
import { freePorts } from '../support/ports.ts'
import { aFiling, anArrival, asked, noStaff, someDigest, startStore } from '../support/store.ts'

/** A new database, and why a store with something else in its address cannot be opened. */
async function refusals(t: TestContext) {
  const database = await newDatabase(t, 'postgres')
  const refusal = async (change: (url: URL) => void): Promise<string> => {
    const url = new URL(urlOf(database))
    change(url)
    const error = await openStore({ engine: 'postgres', url: url.href }, { clock: testClock() }).then(
      store => store.close(),
      (error: Error) => error,
    )
    ok(error instanceof Error, 'it was opened')
    for (const secret of [url.password, decodeURIComponent(url.password)]) {
      equal(inspect(error).includes(secret), false)
    }
    return error.message
  }
  return { database, refusal }
}

/** A role without any rights, and a word that it logs in with. Gone after the test. */
async function aRole(t: TestContext, database: Parameters<typeof sql>[0]): Promise<string> {
  const name = `guest_${randomBytes(4).toString('hex')}`
  await sql(database, `create role ${name} login password 'hunter2/@'`)
  t.after(async () => {
    await sql(database, `drop owned by ${name} cascade`)
    await sql(database, `drop role ${name}`)
  })
  return name
}

describe('a PostgreSQL database is refused with a plain reason', () => {
  test('where the password is wrong', async t => {
    const { refusal } = await refusals(t)
    const reason = await refusal(url => {
      url.password = 'hunter2/@'
    })
    equal(reason, 'the server refuses the password of postgres')
  })

  test('where the user does not exist', async t => {
    const { refusal } = await refusals(t)
    const reason = await refusal(url => {
      url.username = 'nob@dy'
    })
    equal(reason, 'the server refuses the password of nob@dy')
  })

  test('where there is no database of that name', async t => {
    const { refusal } = await refusals(t)
    const reason = await refusal(url => {
      url.pathname = '/front%20desk'
    })
    match(reason, /^there is no database front desk; create it with: createdb /)
  })

  test('where nothing listens', async t => {
    const { refusal } = await refusals(t)
    const [port] = await freePorts(1)
    const reason = await refusal(url => {
      url.port = String(port)
    })
    equal(reason, `nothing listens at 127.0.0.1:${port}`)
  })

  test('where there is no such host', async t => {
    const { refusal } = await refusals(t)
    const reason = await refusal(url => {
      url.hostname = 'db.frontdesk.invalid'
    })
    // Without a name server no one can tell that there is no such host.
    match(reason, /^there is no host db\.frontdesk\.invalid$|EAI_AGAIN db\.frontdesk\.invalid$/)
  })

  test('where it may not be connected to, or no tables may be made', async t => {
    const { database, refusal } = await refusals(t)
    const role = await aRole(t, database)
    const asRole = (url: URL) => {
      url.username = role
      url.password = encodeURIComponent('hunter2/@')
    }
    // Before version 15 everyone could create tables.
    await sql(database, 'revoke create on schema public from public')
    match(await refusal(asRole), new RegExp(`^${role} has too few rights: `))
    const name = new URL(urlOf(database)).pathname.slice(1)
    await sql(database, `revoke connect on database ${name} from public`)
    match(await refusal(asRole), /permission denied for database/)
  })

  test('where its encoding cannot hold every text', async t => {
    const { database, refusal } = await refusals(t)
    const name = `${new URL(urlOf(database)).pathname.slice(1)}_latin`
    const [version] = await sql(database, `select current_setting('server_version_num')::int as n`)
    // Version 14 knows no other.
    const provider = Number(version?.['n']) < 15_0000 ? '' : 'locale_provider libc'
    await sql(database, `create database ${name} template template0 encoding 'LATIN1' locale 'C' ${provider}`)
    t.after(() => sql(database, `drop database ${name}`))
    const reason = await refusal(url => {
      url.pathname = name
    })
    equal(reason, 'the database must have encoding UTF8, not LATIN1')
  })
})

describe('a PostgreSQL database', () => {
  test('of a role that owns nothing but its schema is enough', async t => {
    const database = await newDatabase(t, 'postgres')
    const role = await aRole(t, database)
    await sql(database, `create schema ${role} authorization ${role}`)
    const url = new URL(urlOf(database))
    url.username = role
    url.password = encodeURIComponent('hunter2/@')
    const { store, database: own } = await startStore(t, { database: { engine: 'postgres', url: url.href } })
    equal(await store.accept(anArrival()), 'accepted')
    equal(await countRows(own, `${role}.submissions`), 1)
  })

  test('behind a pooler that mixes up named statements accepts submissions nonetheless', async t => {
    const { database } = await startStore(t, { engine: 'postgres' })
    const pool = () => createPool(urlOf(database), { most: 1, within: 0 })
    const [forgetful, crowded] = [pool(), pool()]
    t.after(() => Promise.all([forgetful.end(), crowded.end()]))

    const acceptance = new PostgresAcceptance(forgetful, limitKeys(queriesOver(forgetful)))
    deepEqual(await acceptance.accept([anArrival()]), ['accepted'])
    const { rows } = await forgetful.query('select name from pg_prepared_statements')
    equal(rows.length, 1)
    await forgetful.query('deallocate all')
    deepEqual(await acceptance.accept([anArrival()]), ['accepted'])
    deepEqual(await acceptance.accept([anArrival()]), ['accepted'])

    await crowded.query(`prepare ${rows[0].name} as select 1`)
    const another = new PostgresAcceptance(crowded, limitKeys(queriesOver(crowded)))
    deepEqual(await another.accept([anArrival()]), ['accepted'])
    equal(await countRows(database, 'submissions'), 4)
  })

  test('counts people and networks under keys that say nothing without its own secret', async t => {
    const keysOf = async () => {
      const { store, database } = await startStore(t, { engine: 'postgres' })
      await store.count('burst 203.0.113.9', { add: 1, duration: 1000, now: 0 })
      await store.accept(anArrival({ email: 'ben@mail.example', lockout: true }))
      const rows = await sql(database, 'select key from limits')
      return rows.map(({ key }) => String(key))
    }
    const [keys, others] = [await keysOf(), await keysOf()]
    deepEqual([keys.length, others.length], [2, 2])
    for (const key of keys) match(key, /^[\w-]{43}$/)
    equal(new Set([...keys, ...others]).size, 4)
  })

  test('that is read-only, like a standby, makes the start wait', async t => {
    const { database } = await startStore(t, { engine: 'postgres' })
    const name = new URL(urlOf(database)).pathname.slice(1)
    await sql(database, `alter database ${name} set default_transaction_read_only = on`)
    const reasons: string[] = []
    const onWaiting = (reason: string) => {
      reasons.push(reason)
      void sql(
        database,
        `begin; set transaction read write; alter database ${name} set default_transaction_read_only = off; commit`,
      )
    }
    const store = await openStore(database, { timeout: 30_000, onWaiting })
    await store.close()
    match(reasons[0] ?? '', /read-only transaction/)
  })

  test('repeats what a start needs of it if it goes away in the middle', async t => {
    const { database } = await startStore(t, { engine: 'postgres' })
    const reasons: string[] = []
    const onWaiting = (reason: string) => void reasons.push(reason)
    const store = await openStore(database, { timeout: 30_000, onWaiting })
    t.after(() => store.close())
    let tries = 0
    const secret = await store.atStart(async () => {
      if (++tries === 1) await sql(database, 'select pg_terminate_backend(pg_backend_pid())')
      return store.getOrCreateSecret('addresses', 'kept')
    })
    equal(secret, 'kept')
    equal(reasons.length, 1)
    match(reasons[0] ?? '', /terminat/)
  })

  test('ends one of two transactions that wait for each other, and that one is repeated', async t => {
    const { database } = await startStore(t, { engine: 'postgres' })
    const pool = createPool(urlOf(database), { most: 2, within: 0 })
    const db = queriesOver(pool)
    t.after(() => db.destroy())
    for (const name of ['one', 'two']) await db.insertInto('progress').values({ name, through: 0 }).execute()
    const add = (tx: typeof db, name: string) =>
      tx
        .updateTable('progress')
        .set(eb => ({ through: eb('through', '+', 1) }))
        .where('name', '=', name)
        .execute()
    let begun = 0
    const bothBegan = Promise.withResolvers<void>()
    const inOrder = (first: string, second: string) =>
      db.transaction().execute(async tx => {
        await add(tx, first)
        if (++begun === 2) bothBegan.resolve()
        await bothBegan.promise
        await add(tx, second)
      })
    await Promise.all([inOrder('one', 'two'), inOrder('two', 'one')])
    // The first may lock its row again before the other has seen that it is free: both are then tried once more.
    ok(begun >= 3)
    deepEqual(await sql(database, "select through from progress where name in ('one', 'two')"), [
      { through: 2 },
      { through: 2 },
    ])
  })

  test('erases a person whose inquiry another transaction is filing', async t => {
    const { store, clock, database } = await startStore(t, { engine: 'postgres' })
    const ana = 'ana@mail.example'
    await store.accept(anArrival({ email: 'ben@mail.example' }))
    await store.accept(anArrival({ email: ana }))
    const now = clock.now()
    const claim = { lane: 'filing', token: 'A', limit: 1, now } as const
    const terms = { quarantine: { days: 30, capacity: 9 }, digest: someDigest, staffing: noStaff }
    const held = await store.claimTasks(claim)
    await store.fileSubmissions(held, [aFiling(1)], { ...terms, now, finish: true })
    const filing = new pg.Client(urlOf(database))
    await filing.connect()
    t.after(() => filing.end())
    await filing.query(`begin;
      create temp table copy as select * from leads where id = 1;
      update copy set id = 2, email = '${ana}', person_key = '${ana}';
      insert into leads select * from copy;
      insert into timeline (lead_id, at, kind, submission_id, detail) values (2, 0, 'submission', 2, '')`)
    const erased = store.erasePerson(ana, { ...asked, addressHash: undefined, now })
    const waits = "select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()"
    while ((await sql(database, waits)).length === 0);
    await filing.query('commit')
    const { leads, submissions } = await erased
    deepEqual({ leads, submissions }, { leads: 1, submissions: 1 })
    deepEqual(await sql(database, 'select id from submissions'), [{ id: 1 }])
  })

  test('gives all processes one secret', async t => {
    const one = await startStore(t, { engine: 'postgres' })
    const other = await startStore(t, { database: one.database })
    const secrets = await Promise.all(
      Array.from({ length: 20 }, (_, i) => (i % 2 ? one : other).store.getOrCreateSecret('links', `s${i}`)),
    )
    equal(new Set(secrets).size, 1)
    equal(await other.store.getOrCreateSecret('other', 'another'), 'another')
  })
})

describe('TLS', () => {
  const tls = (url: string) => new pg.Client(connectionTo(url)).ssl

  test('goes to every server that is not on this machine, unless the URL refuses it', () => {
    for (const url of ['postgres://u:p@db.example.edu/x', 'postgres://u@10.0.0.5:6432/x'])
      deepEqual(tls(url), { rejectUnauthorized: false }, url)
    for (const url of [
      'postgres://u@db.example.edu/x?sslmode=disable',
      'postgres://u@localhost/x',
      'postgres://u@127.0.0.1/x',
      'postgres:///x?host=/run/postgresql',
    ])
      equal(tls(url), false, url)
  })

  test('checks the certificate when the URL asks for it', () => {
    deepEqual(tls('postgres://u@db.example.edu/x?sslmode=verify-full'), {})
  })

  test('that the server does not support is named, with what to change', async t => {
    const server = createServer(socket => {
      socket.on('error', () => {})
      // The answer to SSLRequest (PostgreSQL, section 54.2.11).
      socket.once('data', () => socket.write('N'))
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    t.after(() => server.close())
    const { port } = server.address() as AddressInfo
    const url = `postgres://u@127.0.0.1:${port}/x?sslmode=no-verify`
    await rejects(openStore({ engine: 'postgres', url }), /does not support TLS: .* add \?sslmode=disable/)
  })
})

test('a search is planned by itself, so that it reads the index and not all leads', async t => {
  const database = await newDatabase(t, 'postgres')
  await (await openStore(database)).close()
  const plan = await sql(
    database,
    `explain select found.rowid from generate_series(0, 3) as blocks (block)
     cross join lead_search(replace('"@ruiz"', '@', blocks.block || ':')) as found`,
  )
  match(plan.map(row => row['QUERY PLAN']).join('\n'), /Function Scan on lead_search/)
})
