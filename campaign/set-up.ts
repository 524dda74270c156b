/** Sets up a campaign: its own database, and the replicas on it. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import type { DatabaseAddress } from '../src/config/environment.ts'
import { type Engine, sql, urlOf } from '../test/support/engines.ts'
import { freePorts } from '../test/support/ports.ts'
import { postgresRows } from '../test/support/postgres.ts'
import { type PostgresServer, startPostgresServer } from '../test/support/postgres-server.ts'
import { notifyingOfEach } from '../test/support/process.ts'
import { LEARN_HOST, SITE_HOST, TEAMS } from './plan.ts'
import { Replica } from './replica.ts'

export type Cleanup = Pick<TestContext, 'after'>

/** The database of a campaign, and its PostgreSQL server. SQLite has no server. */
export type CampaignStorage = { database: DatabaseAddress; server: PostgresServer | undefined }

/** Creates an empty database, on PostgreSQL with a server of its own; a `durable` one never loses a commit. */
export async function makeStorage(
  t: Cleanup,
  engine: Engine,
  folder: string,
  { durable = false } = {},
): Promise<CampaignStorage> {
  if (engine === 'sqlite') return { database: { engine, file: join(folder, 'frontdesk.db') }, server: undefined }
  const server = await startPostgresServer({ durable })
  t.after(() => server.remove())
  await postgresRows(server.url, 'create database campaign')
  const url = new URL(server.url)
  url.pathname = 'campaign'
  return { database: { engine, url: url.href }, server }
}

/** Creates `count` replicas without starting them. They are killed after the campaign. */
export async function makeReplicas(
  t: Cleanup,
  count: number,
  { database, folder, smtpUrl }: { database: DatabaseAddress; folder: string; smtpUrl: string },
): Promise<Replica[]> {
  const ports = await freePorts(count)
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
      ...notifyingOfEach,
    }
    return new Replica({ name, port, folder: join(folder, name), env })
  })
  t.after(() => Promise.all(replicas.map(replica => replica.kill())))
  return replicas
}

/**
 * Moves the leases of killed replicas, and retries that are scheduled, into the past. No replica runs
 * meanwhile, so no lease can be in use: a replica that ends properly releases its claims.
 */
export async function endLeases(replicas: Replica[], database: DatabaseAddress): Promise<void> {
  await Promise.all(replicas.map(replica => replica.terminate()))
  await sql(database, 'update tasks set lease_until = 0 where lease_until is not null')
  await sql(
    database,
    `update tasks set due_at = 0 where state = 'due' and kind not in ('step', 'unattended', 'report')`,
  )
  await Promise.all(replicas.map(replica => replica.start()))
}

/** The number of tasks that are due, now or later. */
export async function countDue(database: DatabaseAddress): Promise<number> {
  const [row] = await sql(
    database,
    `select count(*) as n from tasks where state = 'due' and kind not in ('step', 'unattended', 'report')`,
  )
  return Number(row?.['n'])
}

const TABLES = ['submissions', 'idempotency_keys', 'tasks', 'leads', 'timeline', 'quarantine']

/** Saves the tables as files, since a PostgreSQL server is removed when the process ends. */
export async function keepTables({ database, server }: CampaignStorage, folder: string): Promise<void> {
  for (const table of TABLES) {
    const rows = await sql(database, `select * from ${table} order by 1`)
    writeFileSync(join(folder, `${table}.json`), JSON.stringify(rows, undefined, 1))
  }
  if (server) writeFileSync(join(folder, 'postgres.log'), server.log())
}
