/** A database of its own for a test, and a look into it. */
import { randomBytes } from 'node:crypto'
import type { TestContext } from 'node:test'
import pg from 'pg'
import { startPostgresServer } from './postgres-server.ts'

/**
 * Makes a database, empty unless a template is given, and returns its address. Dropped after
 * everything else that ends the test.
 *
 * @param template what follows `template` in `create database`. No one may be connected to it, so that
 *   many tests can copy it at once.
 */
export async function testDatabase(t: TestContext, template = 'template0'): Promise<string> {
  const server = await serverUrl()
  const name = `frontdesk_${randomBytes(8).toString('hex')}`
  await postgresRows(server, `create database ${name} template ${template}`)
  const drop = () => postgresRows(server, `drop database if exists ${name} with (force)`)
  // Hooks run in the order of their registration, and what uses the database closes first.
  t.after(() => t.after(drop))
  const url = new URL(server)
  url.pathname = name
  return url.href
}

/** What a query returns, over a connection of its own. A bigint comes as a number. */
// biome-ignore lint/suspicious/noExplicitAny: the columns are the query's
export async function postgresRows<Row extends pg.QueryResultRow = any>(
  url: string,
  text: string,
  values: unknown[] = [],
): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url, types: { getTypeParser } })
  // A connection that breaks fails the query as well.
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

/** That of the whole run (see global-setup.ts); a file that is run by hand gets its own. */
function serverUrl(): string | Promise<string> {
  const given = process.env['TEST_DATABASE_URL']
  if (given) return given
  own ??= startPostgresServer().then(server => server.url)
  return own
}
