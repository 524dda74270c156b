import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { postgresRows } from '../support/postgres.ts'
import { type PostgresServer, startPostgresServer } from '../support/postgres-server.ts'
import { type Service, spawnProcess, startProcess, until } from '../support/process.ts'
import { assertAllStored, Load, makeDatabase, RECOVERS_WITHIN, RESPONDS_WITHIN } from './faults.ts'

const PASSWORD = 'correct horse battery staple'

let server: PostgresServer
before(async () => {
  server = await startPostgresServer()
})
after(() => server.remove())

describe('a start on PostgreSQL', () => {
  test('with a wrong password says so without showing the password, and exits with 2', async t => {
    const url = await makeRole('visitor')
    const { exit, stdout, stderr } = await spawnProcess(t, {
      env: { DATABASE_URL: url.replace(encodeURIComponent(PASSWORD), 'not-the-password') },
    })
    equal((await exit).code, 2)
    const shown = `postgres://visitor@127.0.0.1:${server.port}${new URL(url).pathname}`
    equal(stderr(), `The database ${shown} cannot be opened: the server refuses the password of visitor\n`)
    equal(stdout(), '')
  })

  test('without a database says how to create it, and exits with 2', async t => {
    const url = new URL(server.url)
    url.pathname = '/nowhere'
    const { exit, stderr } = await spawnProcess(t, { env: { DATABASE_URL: url.href } })
    equal((await exit).code, 2)
    match(
      stderr(),
      /: there is no database nowhere; create it with: createdb --owner=\w+ --encoding=UTF8 --template=template0 nowhere\n$/,
    )
    equal(stderr().includes(url.password), false)
  })

  test('waits for the server when it is not running yet, and can be stopped meanwhile', async t => {
    const url = await makeDatabase(server)
    await server.stop()
    const [service, impatient] = await Promise.all([
      spawnProcess(t, { env: { DATABASE_URL: url } }),
      spawnProcess(t, { env: { DATABASE_URL: url } }),
    ])
    ok(await until(() => logged(service, 'waiting for the database').length === 1))
    const signalled = impatient.now()
    await impatient.kill('SIGTERM')
    const ended = impatient.now() - signalled

    await server.start()
    const accepting = service.now()
    ok(await until(() => logged(service, 'ready').length === 1), service.stderr())
    const ready = service.now() - accepting
    const load = new Load(service)
    await load.until(200, 5)
    await load.stop()
    deepEqual(load.ledger.rejected, [])
    equal(service.stdout().includes(new URL(url).password), false)
    t.diagnostic(
      `ready ${ready.toFixed(0)} ms after the server; while it waited, SIGTERM ended it within ${ended.toFixed(0)} ms`,
    )
    ok(ready < RECOVERS_WITHIN)
    ok(ended < 10_000, `it ended only after ${ended} ms`)
  })

  test('waits for a connection while all are in use, and does not exit', async t => {
    const url = await makeRole('crowd', 8)
    const others = await takeConnections(t, url)
    equal(others.length, 8)
    const service = await spawnProcess(t, { env: { DATABASE_URL: url } })
    ok(await until(() => logged(service, 'waiting for the database').length === 1))
    match(service.stdout(), /too many connections for role/)
    await release(others)
    const free = service.now()
    ok(await until(() => logged(service, 'ready').length === 1), service.stderr())
    const ready = service.now() - free
    t.diagnostic(`ready ${ready.toFixed(0)} ms after connections were free`)
    ok(ready < RECOVERS_WITHIN)
  })
})

describe('a service that PostgreSQL no longer lets connect', () => {
  test('for lack of connections returns 503 until some are free', async t => {
    const url = await makeRole('rival', 8)
    await assertUnavailableUntil(t, url, async () => {
      const others: pg.Client[] = []
      const rob = async () => {
        // We take over every connection that the service had.
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

  test('because of its password returns 503 until the old password is restored', async t => {
    const url = await makeRole('guest')
    await assertUnavailableUntil(t, url, async () => {
      await postgresRows(server.url, `alter role guest password 'another'`)
      await endConnections('guest')
      return async () => {
        await postgresRows(server.url, `alter role guest password '${PASSWORD}'`)
      }
    })
  })
})

type Test = Parameters<typeof startProcess>[0]

/** Locks the service out of its database under load for two seconds. */
async function assertUnavailableUntil(t: Test, url: string, lockOut: () => Promise<() => Promise<void>>) {
  const service = await startProcess(t, { env: { DATABASE_URL: url } })
  const load = new Load(service)
  await load.until(200, 10)
  const letIn = await lockOut()
  await load.until(503, 5)
  await wait(2000)
  const ready = () => fetch(`${service.origin.site}/readyz`).then(({ status }) => status)
  equal(await ready(), 503)
  await letIn()
  const open = service.now()
  await load.until(200, 10)
  while ((await ready()) !== 200) ok(service.now() - open < RECOVERS_WITHIN, 'not ready yet')
  const readyAfter = service.now() - open
  await load.stop()

  equal(service.child.exitCode, null)
  equal(service.stdout().includes(PASSWORD), false)
  // As another role, because the service may use all connections of its own role.
  const lookup = new URL(server.url)
  lookup.pathname = new URL(url).pathname
  await assertAllStored(load.ledger, service, lookup.href)
  const recovered = load.recoveredAfter(open)
  t.diagnostic(
    `${load.count(200)} times 200, ${load.count(503)} times 503, responses within ${load.slowest().toFixed(0)} ms; afterward last 503 after ${recovered.toFixed(0)} ms, ready within ${readyAfter.toFixed(0)} ms`,
  )
  ok(load.slowest() < RESPONDS_WITHIN)
  ok(recovered < RECOVERS_WITHIN)
}

/** Creates a role with its own database, to which it may have `connections` connections at once. */
async function makeRole(name: string, connections = -1): Promise<string> {
  await postgresRows(server.url, `create role ${name} login password '${PASSWORD}' connection limit ${connections}`)
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

/** Connects until the server rejects a connection. */
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
