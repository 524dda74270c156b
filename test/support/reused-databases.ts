/**
 * PostgreSQL databases with an installation, which the tests of a process use one after the other: to empty one takes a
 * tenth of the time that it takes to create and drop one. A test that has failed, changed the schema or left many rows
 * leaves its database to no other.
 */
import { after, type TestContext } from 'node:test'
import { hasFailed } from './kept.ts'
import { createDatabase, dropDatabase, keepCopy, queryKept, rowsOverKept } from './postgres.ts'

/** So many deleted rows do not slow down the tests that come after. */
const MOST_ROWS = 2000

/** Databases that are as new, by the template that they are copies of. */
const unused = new Map<string, string[]>()

/** Returns the URL of a database that is a copy of the template, as `create database` names it. */
export async function reusedDatabase(t: TestContext, template: string): Promise<string> {
  const ready = unused.get(template) ?? []
  unused.set(template, ready)
  const url = ready.pop() ?? (await createDatabase(template))
  installation ??= describe(url)
  const { schema, empty } = await installation
  const giveBack = async () => {
    if (hasFailed(t)) await keepCopy(t, url)
    else if (await becomesNew(url, schema, empty).catch(() => false)) return void ready.push(url)
    await dropDatabase(url)
  }
  // Hooks run in the order of their registration, and everything that uses the database closes first.
  t.after(() => t.after(giveBack))
  return url
}

after(() => Promise.all([...unused.values()].flat().map(dropDatabase)))

/** Returns whether the database can serve another test. */
async function becomesNew(url: string, schema: string, empty: string): Promise<boolean> {
  const deleted = await queryKept(url, empty)
  const rows = deleted.reduce((sum, { command, rowCount }) => sum + (command === 'DELETE' ? (rowCount ?? 0) : 0), 0)
  return rows <= MOST_ROWS && (await schemaOf(url)) === schema
}

type Installation = { schema: string; empty: string }

let installation: Promise<Installation> | undefined

/** What tells whether the schema was changed, and the statements that empty the tables and fill them as at first. */
async function describe(url: string): Promise<Installation> {
  const names = async (kind: 'r' | 'S') =>
    (
      await rowsOverKept<{ name: string }>(
        url,
        `select relname as name from pg_class where relkind = '${kind}' and relnamespace = 'public'::regnamespace`,
      )
    ).map(({ name }) => `"${name}"`)
  const [tables, sequences] = await Promise.all([names('r'), names('S')])
  const contents = await rowsOverKept<{ name: string; rows: unknown[] | null }>(
    url,
    tables.map(name => `select '${name}' as name, (select json_agg(t) from ${name} as t) as rows`).join(' union all '),
  )
  const initial = contents.flatMap(({ name, rows }) =>
    rows === null
      ? []
      : `insert into ${name} overriding system value
         select * from json_populate_recordset(null::${name}, '${JSON.stringify(rows).replaceAll("'", "''")}')`,
  )
  const empty = [
    // Other connections are those of services that are gone, and would keep the rows locked.
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and application_name <> current_setting('application_name')`,
    // Without the triggers.
    'set local session_replication_role = replica',
    ...tables.map(name => `delete from ${name}`),
    ...initial,
    ...sequences.map(name => `select setval('${name}', 1, false)`),
  ]
  return { schema: await schemaOf(url), empty: empty.join(';\n') }
}

/** Differs after each change of the schema: of what a system table says about our objects, in which transaction. */
async function schemaOf(url: string): Promise<string> {
  const parts = ['pg_class', 'pg_constraint', 'pg_trigger', 'pg_proc', 'pg_type', 'pg_namespace', 'pg_event_trigger']
  const [row] = await rowsOverKept<{ schema: string }>(
    url,
    `select concat_ws(',', ${[
      ...parts.map(part => changes(part, 'oid')),
      changes('pg_attribute', 'attrelid'),
      changes('pg_index', 'indexrelid'),
    ].join()}) as schema`,
  )
  return row?.schema ?? ''
}

/** Our objects have ids from 16384 on. */
const changes = (part: string, id: string): string =>
  `(select count(*) || ':' || sum(xmin::text::bigint) from ${part} where ${id} >= 16384)`
