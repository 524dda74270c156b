/** Creates a PostgreSQL database for a test, and runs queries on it. */
import { randomBytes } from 'node:crypto'
import type { TestContext } from 'node:test'
import pg from 'pg'
import { startPostgresServer } from './postgres-server.ts'

/**
 * Creates a database, which is empty unless there is a template, and returns its URL. After the test
 * it is dropped, after every other cleanup.
 *
 * @param template the text after `template` in `create database`. No client may be connected to the
 *   template, so that many tests can copy it at once.
 */
export async function testDatabase(t: TestContext, template = 'template0'): Promise<string> {
  const server = await serverUrl()
  const name = `frontdesk_${randomBytes(8).toString('hex')}`
  admin ??= openAdmin(server)
  const ready = admin
  await ready.query(`create database ${name} template ${template}`)
  const drop = () => ready.query(`drop database if exists ${name} with (force)`)
  // Hooks run in the order of their registration, and everything that uses the database closes first.
  t.after(() => t.after(drop))
  const url = new URL(server)
  url.pathname = name
  return url.href
}

/** A new connection takes as long as creating a database, so all tests of a process share a few. */
let admin: pg.Pool | undefined

function openAdmin(server: string): pg.Pool {
  const pool = new pg.Pool({ connectionString: server, max: 2, allowExitOnIdle: true })
  // A server that a test has stopped: the next query connects again.
  pool.on('error', () => {})
  return pool
}

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

/** The server of the whole run (see global-setup.ts). A file that is run by hand gets its own. */
function serverUrl(): string | Promise<string> {
  const existing = process.env['TEST_DATABASE_URL']
  if (existing) return existing
  own ??= startPostgresServer().then(server => server.url)
  return own
}
