import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { postgresRows } from '../support/postgres.ts'
import { type PostgresServer, startPostgresServer } from '../support/postgres-server.ts'
import { type Service, spawnProcess, startProcess, until } from '../support/process.ts'
import { ANSWERED_WITHIN, assertAllStored, Load, makeDatabase, WELL_WITHIN } from './faults.ts'

const PASSWORD = 'correct horse battery staple'

let server: PostgresServer
before(async () => {
  server = await startPostgresServer()
})
after(() => server.remove())

describe('a start on PostgreSQL', () => {
  test('with a wrong password says so, without the password, and ends with 2', async t => {
    const url = await makeRole('visitor')
    const { exit, stdout, stderr } = await spawnProcess(t, {
      env: { DATABASE_URL: url.replace(encodeURIComponent(PASSWORD), 'not-the-password') },
    })
    equal((await exit).code, 2)
    const place = `postgres://visitor@127.0.0.1:${server.port}${new URL(url).pathname}`
    equal(
      stderr(),
      `Invalid configuration:\n  - The database ${place} cannot be opened: the server refuses the password of visitor\n`,
    )
    equal(stdout(), '')
  })

  test('without the database says how to make it, and ends with 2', async t => {
    const url = new URL(server.url)
    url.pathname = '/nowhere'
    const { exit, stderr } = await spawnProcess(t, { env: { DATABASE_URL: url.href } })
    equal((await exit).code, 2)
    match(stderr(), /: there is no database nowhere; make one with: createdb nowhere\n$/)
    equal(stderr().includes(url.password), false)
  })

  test('before the server is there waits for it, and can be ended meanwhile', async t => {
    const url = await makeDatabase(server)
    await server.stop()
    const [service, impatient] = await Promise.all([
      spawnProcess(t, { env: { DATABASE_URL: url } }),
      spawnProcess(t, { env: { DATABASE_URL: url } }),
    ])
    ok(await until(() => logged(service, 'waiting for the database').length === 1, 10_000))
    const signalled = performance.now()
    await impatient.kill('SIGTERM')
    const ended = performance.now() - signalled

    await server.start()
    const accepting = performance.now()
    ok(await until(() => logged(service, 'ready').length === 1, 10_000), service.stderr())
    const ready = performance.now() - accepting
    const load = new Load(service)
    await load.until(200, 5)
    await load.stop()
    deepEqual(load.ledger.refused, [])
    equal(service.stdout().includes(new URL(url).password), false)
    t.diagnostic(
      `ready ${ready.toFixed(0)} ms after the server; while waiting, SIGTERM ended it within ${ended.toFixed(0)} ms`,
    )
    ok(ready < WELL_WITHIN)
    ok(ended < 1000)
  })

  test('while all connections are taken waits for one, and never ends for it', async t => {
    const url = await makeRole('crowd', 8)
    const others = await takeConnections(t, url)
    equal(others.length, 8)
    const service = await spawnProcess(t, { env: { DATABASE_URL: url } })
    ok(await until(() => logged(service, 'waiting for the database').length === 1, 10_000))
    match(service.stdout(), /too many connections for role/)
    await release(others)
    const free = performance.now()
    ok(await until(() => logged(service, 'ready').length === 1, 10_000), service.stderr())
    const ready = performance.now() - free
    t.diagnostic(`ready ${ready.toFixed(0)} ms after connections were free`)
    ok(ready < WELL_WITHIN)
  })
})

describe('a service that PostgreSQL lets in no more', () => {
  test('for want of connections tells clients to come back, until some are free', async t => {
    const url = await makeRole('rival', 8)
    await assertTurnedAwayUntil(t, url, async () => {
      const others: pg.Client[] = []
      const rob = async () => {
        // Whatever the service had is ours from now on.
        for (let taken = -1; others.length < 8 && taken < others.length; ) {
          taken = others.length
          await endConnections('rival', others)
          others.push(...(await takeConnections(t, url)))
        }
      }
      while (others.length < 8) await rob()
      return () => release(others)
    })
  })

  test('for its password tells clients to come back, until that is restored', async t => {
    const url = await makeRole('guest')
    await assertTurnedAwayUntil(t, url, async () => {
      await postgresRows(server.url, `alter role guest password 'another'`)
      await endConnections('guest')
      return async () => {
        await postgresRows(server.url, `alter role guest password '${PASSWORD}'`)
      }
    })
  })
})

type Test = Parameters<typeof startProcess>[0]

/** Under load, has the server turn the service away for two seconds. */
async function assertTurnedAwayUntil(
  t: Test,
  url: string,
  turnAway: () => Promise<() => Promise<void>>,
) {
  const service = await startProcess(t, { env: { DATABASE_URL: url } })
  const load = new Load(service)
  await load.until(200, 10)
  const letIn = await turnAway()
  await load.until(503, 5)
  await wait(2000)
  const ready = () => fetch(`${service.origin.site}/readyz`).then(({ status }) => status)
  equal(await ready(), 503)
  await letIn()
  const open = performance.now()
  await load.until(200, 10)
  while ((await ready()) !== 200) ok(performance.now() - open < WELL_WITHIN, 'not ready yet')
  const readyAfter = performance.now() - open
  await load.stop()

  equal(service.child.exitCode, null)
  equal(service.stdout().includes(PASSWORD), false)
  // As somebody else: the service may have all connections of its own.
  const look = new URL(server.url)
  look.pathname = new URL(url).pathname
  await assertAllStored(load.ledger, service, look.href)
  const well = load.wellAfter(open)
  t.diagnostic(
    `${load.count(200)} times 200, ${load.count(503)} times 503, answered within ${load.slowest().toFixed(0)} ms; afterwards last 503 after ${well.toFixed(0)} ms, ready within ${readyAfter.toFixed(0)} ms`,
  )
  ok(load.slowest() < ANSWERED_WITHIN)
  ok(well < WELL_WITHIN)
}

/** A role with a database of its own, which it may be connected to so often at once. */
async function makeRole(name: string, connections = -1): Promise<string> {
  await postgresRows(
    server.url,
    `create role ${name} login password '${PASSWORD}' connection limit ${connections}`,
  )
  const url = new URL(await makeDatabase(server))
  const database = url.pathname.slice(1)
  await postgresRows(server.url, `alter database ${database} owner to ${name}`)
  url.username = name
  url.password = PASSWORD
  return url.href
}

async function endConnections(role: string, except: pg.Client[] = []) {
  const pids = except.map(client => (client as unknown as { processID: number }).processID)
  await postgresRows(
    server.url,
    `select pg_terminate_backend(pid) from pg_stat_activity
     where usename = $1 and pid <> all($2::int[])`,
    [role, pids],
  )
}

/** Connects until the server refuses. */
async function takeConnections(t: Test, url: string): Promise<pg.Client[]> {
  const clients: pg.Client[] = []
  for (;;) {
    const client = new pg.Client(url)
    client.on('error', () => {})
    try {
      await client.connect()
    } catch {
      return clients
    }
    t.after(() => client.end())
    clients.push(client)
  }
}

const release = async (clients: pg.Client[]) => {
  await Promise.all(clients.map(client => client.end()))
}

const logged = ({ stdout }: Service, message: string): string[] =>
  stdout()
    .split('\n')
    .filter(line => line.includes(`"msg":"${message}"`))
