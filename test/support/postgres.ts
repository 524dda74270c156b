/** Creates a PostgreSQL database for a test, and runs queries on it. */
import { randomBytes } from 'node:crypto'
import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import pg from 'pg'
import { fastFolder } from './folder.ts'
import { hasFailed, keep } from './kept.ts'
import { startPostgresServer } from './postgres-server.ts'
import { shared } from './shared-databases.ts'
import { copyToSqlite } from './sqlite-copy.ts'
import { DATABASE_FILE } from './templates.ts'

/** Creates an empty database, and returns its URL. After the test it is dropped, after every other cleanup. */
export async function testDatabase(t: TestContext): Promise<string> {
  const url = await createDatabase('template0')
  const drop = async () => {
    if (hasFailed(t)) await keepCopy(t, url)
    await dropDatabase(url)
  }
  // Hooks run in the order of their registration, and everything that uses the database closes first.
  t.after(() => t.after(drop))
  return url
}

/**
 * Creates a database and returns its URL.
 *
 * @param template the text after `template` in `create database`. No client may be connected to the
 *   template, so that many tests can copy it at once.
 */
export async function createDatabase(template: string): Promise<string> {
  const server = await serverUrl()
  const name = `frontdesk_${randomBytes(8).toString('hex')}`
  await rowsOverKept(server, `create database ${name} template ${template}`)
  const url = new URL(server)
  url.pathname = name
  return url.href
}

export async function dropDatabase(url: string): Promise<void> {
  await pools.get(url)?.end()
  pools.delete(url)
  await rowsOverKept(await serverUrl(), `drop database if exists ${new URL(url).pathname.slice(1)} with (force)`)
}

/** Copies the database of a test that has failed, to look into. */
export async function keepCopy(t: TestContext, url: string): Promise<void> {
  const folder = mkdtempSync(join(fastFolder(), 'frontdesk-'))
  keep(t, folder, 'A copy of the PostgreSQL database')
  const copied = copyToSqlite(text => rowsOverKept(url, text), join(folder, DATABASE_FILE))
  await copied.catch(error => t.diagnostic(`It is not complete: ${error}`))
}

/** A new connection costs as much as creating a database, so a process keeps one or two for each. */
const pools = new Map<string, pg.Pool>()

function poolOf(url: string): pg.Pool {
  const known = pools.get(url)
  if (known !== undefined) return known
  const options = { connectionString: url, max: 2, allowExitOnIdle: true, application_name: 'tests' }
  const pool = new pg.Pool({ ...options, types: { getTypeParser } })
  // A connection that a test has cut: the next query makes another.
  pool.on('error', () => {})
  pools.set(url, pool)
  return pool
}

/** Like `postgresRows`, over a connection that is kept for the next query. */
// biome-ignore lint/suspicious/noExplicitAny: the columns are the query's
export const rowsOverKept = async <Row extends pg.QueryResultRow = any>(url: string, text: string): Promise<Row[]> =>
  (await poolOf(url).query<Row>(text)).rows

/** The results of several statements, over a connection that is kept. */
export const queryKept = async (url: string, text: string): Promise<pg.QueryResult[]> =>
  [await poolOf(url).query(text)].flat()

/** Runs a query over its own connection and returns the rows. A bigint becomes a number. */
// biome-ignore lint/suspicious/noExplicitAny: the columns are the query's
export async function postgresRows<Row extends pg.QueryResultRow = any>(
  url: string,
  text: string,
  values: unknown[] = [],
): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url, types: { getTypeParser } })
  // A broken connection makes the query fail, too.
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query<Row>(text, values)).rows
  } finally {
    await client.end()
  }
}

const getTypeParser: pg.CustomTypesConfig['getTypeParser'] = (type, format) =>
  type === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(type, format)

let own: Promise<string> | undefined

/** The server of the whole run (see shared-databases.ts). A file that is run by hand gets its own. */
async function serverUrl(): Promise<string> {
  const existing = (await shared('postgres'))?.url ?? process.env['TEST_DATABASE_URL']
  if (existing) return existing
  own ??= startPostgresServer().then(server => server.url)
  return own
}
