/** What a campaign plays on: a database of its own, and the replicas on it. */
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import type { DatabaseAddress } from '../src/config/environment.ts'
import { type Engine, sql, urlOf } from '../test/support/engines.ts'
import { postgresRows } from '../test/support/postgres.ts'
import { type PostgresServer, startPostgresServer } from '../test/support/postgres-server.ts'
import { TEAMS } from './mailbox.ts'
import { LEARN_HOST, SITE_HOST } from './plan.ts'
import { Replica } from './replica.ts'

export type Cleanup = Pick<TestContext, 'after'>

/** The server is that of the database; SQLite has none. */
export type Place = { database: DatabaseAddress; server: PostgresServer | undefined }

/** Makes an empty database, on PostgreSQL with a server that keeps every commit. */
export async function makePlace(t: Cleanup, engine: Engine, folder: string): Promise<Place> {
  if (engine === 'sqlite')
    return { database: { engine, file: join(folder, 'frontdesk.db') }, server: undefined }
  const server = await startPostgresServer({ durable: true })
  t.after(() => server.remove())
  await postgresRows(server.url, 'create database campaign')
  const url = new URL(server.url)
  url.pathname = 'campaign'
  return { database: { engine, url: url.href }, server }
}

/** As many replicas as asked for, not started yet; killed after the campaign. */
export async function makeReplicas(
  t: Cleanup,
  count: number,
  { database, folder, smtpUrl }: { database: DatabaseAddress; folder: string; smtpUrl: string },
): Promise<Replica[]> {
  const ports: number[] = []
  while (ports.length < count) {
    const port = await freePort()
    if (!ports.includes(port)) ports.push(port)
  }
  const replicas = ports.map((port, i) => {
    const name = `replica-${i + 1}`
    const env = {
      DATABASE_URL: urlOf(database),
      BASE_URL: `http://${SITE_HOST}`,
      LEARN_URL: `http://${LEARN_HOST}`,
      CONSOLE_URL: 'http://console.campaign.example',
      SITE_PORT: String(port),
      LEARN_PORT: String(port),
      CONSOLE_PORT: String(port),
      SMTP_URL: smtpUrl,
      PARTNERSHIPS_EMAIL: TEAMS.site,
      ADMISSIONS_EMAIL: TEAMS.student,
    }
    return new Replica({ name, port, folder: join(folder, name), env })
  })
  t.after(() => Promise.all(replicas.map(replica => replica.kill())))
  return replicas
}

/** Below those that systems hand out, so that nobody is given it while its replica is down. */
async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(15_000, 30_000)
    const probe = createServer().listen(port, '127.0.0.1')
    if ((await once(probe, 'listening').catch(() => false)) === false) continue
    await once(probe.close(), 'close')
    return port
  }
}

/**
 * Moves the leases of killed replicas, and what is put off, into the past. While it does, nobody
 * lives whose lease it could be: who ends in order gives back what it holds.
 */
export async function endLeases(replicas: Replica[], database: DatabaseAddress): Promise<void> {
  await Promise.all(replicas.map(replica => replica.terminate()))
  await sql(database, 'update tasks set lease_until = 0 where lease_until is not null')
  await sql(database, `update tasks set due_at = 0 where state = 'due' and kind <> 'step'`)
  await Promise.all(replicas.map(replica => replica.start()))
}

/** How many tasks wait, now or for their time. */
export async function countDue(database: DatabaseAddress): Promise<number> {
  const [row] = await sql(
    database,
    `select count(*) as n from tasks where state = 'due' and kind <> 'step'`,
  )
  return Number(row?.['n'])
}

const TABLES = ['submissions', 'idempotency_keys', 'tasks', 'leads', 'timeline', 'quarantine']

/** Writes down what the tables hold, since a PostgreSQL server goes with the process. */
export async function keepTables({ database, server }: Place, folder: string): Promise<void> {
  for (const table of TABLES) {
    const rows = await sql(database, `select * from ${table} order by 1`)
    writeFileSync(join(folder, `${table}.json`), JSON.stringify(rows, undefined, 1))
  }
  if (server) writeFileSync(join(folder, 'postgres.log'), server.log())
}
