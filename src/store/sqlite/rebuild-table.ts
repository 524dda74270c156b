/** Changing the constraints of a table on SQLite, which means to make the table anew. */
import { type Kysely, sql } from 'kysely'
import type { Change } from '../migrations/migration.ts'

/**
 * Copies the table into one with the changed constraints, which takes its name, its indexes and its
 * ids (sqlite.org/lang_altertable.html, section 7). Inside a transaction, with foreign keys off.
 */
export async function rebuildTable(
  db: Kysely<unknown>,
  table: string,
  changes: Change[],
): Promise<void> {
  const { rows } = await sql<{ type: string; sql: string }>`
    select type, sql from sqlite_schema
    where tbl_name = ${table} and sql is not null order by type = 'index'`.execute(db)
  const [definition, ...indexes] = rows.map(row => row.sql)
  const anew = changes.reduce(replaceConstraint, inOneLine(definition ?? ''))
  await run(db, anew.replace(`"${table}"`, '"anew"'))
  await run(db, `insert into anew select * from ${table}`)
  // A deleted row's id must not come again.
  await run(db, `delete from sqlite_sequence where name = 'anew'`)
  await run(
    db,
    `insert into sqlite_sequence select 'anew', seq from sqlite_sequence where name = '${table}'`,
  )
  await run(db, `drop table ${table}`)
  await run(db, `alter table anew rename to ${table}`)
  for (const index of indexes) await run(db, index)
}

const run = (db: Kysely<unknown>, text: string) => sql.raw(text).execute(db)

/** However either is laid out. */
function replaceConstraint(definition: string, change: Change): string {
  const { name, to } = change
  const from = inOneLine(change.from)
  if (!definition.includes(from)) throw new Error(`The constraint ${name} is not as it was made`)
  return definition.replace(from, () => to)
}

const inOneLine = (text: string): string => text.replace(/\s+/g, ' ')
