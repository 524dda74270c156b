/** Everything that a database holds, to see that something has left it alone. */
import type { DatabaseAddress } from '../../src/config/environment.ts'
import { sql } from '../support/engines.ts'

const TABLES = {
  // The index of the keys is written a moment later, whatever happens (`store/sqlite/acceptance.ts`).
  sqlite: `select name from sqlite_master
    where type = 'table' and name not in ('indexed_keys', 'write_probe', 'idempotency_keys')`,
  postgres: `select table_name as name from information_schema.tables
    where table_schema = 'public' and table_type = 'BASE TABLE'`,
}

/** The rows of every table, in an order of their own, and on PostgreSQL how far its sequences are. */
export async function wholeDatabase(database: DatabaseAddress): Promise<Record<string, string[]>> {
  const tables = (await sql(database, TABLES[database.engine])).map(({ name }) => String(name))
  const rows = await Promise.all(
    tables.map(async table => [table, await sql(database, `select * from ${table}`)] as const),
  )
  if (database.engine === 'postgres') {
    rows.push(['sequences', await sql(database, 'select sequencename, last_value from pg_sequences')])
  }
  return Object.fromEntries(rows.map(([table, rows]) => [table, rows.map(row => JSON.stringify(row)).sort()]))
}
