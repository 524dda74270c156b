/** Changing the constraints of a table on SQLite, which means recreating the table. */
import { type Kysely, sql } from 'kysely'
import type { Change } from '../migrations/migration.ts'

/**
 * Copies the table into one with the changed constraints, which takes its name, its indexes and its
 * ids (sqlite.org/lang_altertable.html, section 7). Inside a transaction, with foreign keys off.
 */
export async function rebuildTable(db: Kysely<unknown>, table: string, changes: Change[]): Promise<void> {
  const { rows } = await sql<{ type: string; sql: string }>`
    select type, sql from sqlite_schema
    where tbl_name = ${table} and sql is not null order by type = 'index'`.execute(db)
  const [definition, ...indexes] = rows.map(row => row.sql)
  const changed = changes.reduce(replaceConstraint, definition ?? '')
  await run(db, changed.replace(`"${table}"`, '"rebuilt"'))
  await run(db, `insert into rebuilt select * from ${table}`)
  // The id of a deleted row must not be used again.
  await run(db, `delete from sqlite_sequence where name = 'rebuilt'`)
  await run(db, `insert into sqlite_sequence select 'rebuilt', seq from sqlite_sequence where name = '${table}'`)
  await run(db, `drop table ${table}`)
  await run(db, `alter table rebuilt rename to ${table}`)
  for (const index of indexes) await run(db, index)
}

const run = (db: Kysely<unknown>, text: string) => sql.raw(text).execute(db)

/** The definition of a table, in one line, with one constraint changed. Works however either is laid out. */
export function replaceConstraint(definition: string, change: Change): string {
  const { name, to } = change
  const from = inOneLine(change.from)
  const whole = inOneLine(definition)
  if (!whole.includes(from)) throw new Error(`The constraint ${name} is not as the migration created it`)
  return whole.replace(from, () => inOneLine(to))
}

const inOneLine = (text: string): string => text.replace(/\s+/g, ' ')
