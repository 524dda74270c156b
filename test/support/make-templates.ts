/**
 * An installation on each engine, as it is after the first start, for the tests of a run to copy. PostgreSQL is a
 * server of its own, unless TEST_DATABASE_URL names one.
 */
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { DatabaseAddress } from '../../src/config/environment.ts'
import { newSecret } from '../../src/platform/secret.ts'
import { openStore } from '../../src/store/open-store.ts'
import { postgresRows } from './postgres.ts'
import { startPostgresServer } from './postgres-server.ts'
import type { Shared } from './shared-databases.ts'
import { DATABASE_FILE } from './templates.ts'

const secret = newSecret()

/** Creates the database in that folder. */
export async function sqliteTemplate(folder: string): Promise<Shared['sqlite']> {
  await install({ engine: 'sqlite', file: join(folder, DATABASE_FILE) })
  return folder
}

/** Adds to `removals` what removes it again. */
export async function postgresTemplate(removals: (() => Promise<void>)[]): Promise<Shared['postgres']> {
  const server = await serverUrl(removals)
  const name = `frontdesk_template_${randomBytes(8).toString('hex')}`
  await postgresRows(server, `create database ${name} template template0`)
  removals.unshift(async () => void (await postgresRows(server, `drop database ${name} with (force)`)))
  const url = new URL(server)
  url.pathname = name
  await install({ engine: 'postgres', url: url.href })
  // Its sessions end a moment after their connections, and a template that is in use cannot be copied.
  const inUse = `select 1 from pg_stat_activity where datname = '${name}'`
  while ((await postgresRows(server, inUse)).length > 0);
  return { url: server, template: `${name}${await strategy(server)}` }
}

async function install(database: DatabaseAddress): Promise<void> {
  const store = await openStore(database)
  await store.getOrCreateSecret('links', secret)
  await store.close()
}

async function serverUrl(removals: (() => Promise<void>)[]): Promise<string> {
  const existing = process.env['TEST_DATABASE_URL']
  if (existing === undefined) {
    // Databases that last for seconds need no vacuum, and with so many, it would never end.
    const server = await startPostgresServer({ flags: ['-c', 'autovacuum=off'] })
    removals.push(() => server.remove())
    return server.url
  }
  await postgresRows(existing, 'select 1').catch(cause => {
    throw new Error('No PostgreSQL server responds at the URL in TEST_DATABASE_URL.', { cause })
  })
  return existing
}

/** Copying files is faster than writing each page to the log. PostgreSQL 14 always copies files. */
async function strategy(server: string): Promise<string> {
  const [row] = await postgresRows(server, `select current_setting('server_version_num')::int as n`)
  return row.n >= 15_0000 ? ' strategy file_copy' : ''
}
