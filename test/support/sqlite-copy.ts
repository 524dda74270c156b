/** A copy of a PostgreSQL database that outlives the server: tables without types or constraints, to look into. */
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'

type Query = <Row extends object>(text: string) => Promise<Row[]>

/** @param query runs a query in the database and returns its rows */
export async function copyToSqlite(query: Query, file: string): Promise<void> {
  const copy = new DatabaseSync(file)
  const columns = await query<{ table: string; names: string[] }>(
    `select table_name as table, array_agg(column_name::text order by ordinal_position) as names
     from information_schema.columns where table_schema = current_schema() group by table_name`,
  )
  for (const { table, names } of columns) {
    copy.exec(`create table "${table}" (${names.map(name => `"${name}"`).join()})`)
    const insert = copy.prepare(`insert into "${table}" values (${names.map(() => '?').join()})`)
    const rows = await query<Record<string, unknown>>(`select * from "${table}"`)
    for (const row of rows) insert.run(...names.map(name => simple(row[name])))
  }
  copy.close()
}

function simple(value: unknown): SQLInputValue {
  if (typeof value === 'boolean') return Number(value)
  if (value === null || typeof value !== 'object' || value instanceof Uint8Array) return value as SQLInputValue
  return JSON.stringify(value)
}
