/** Allows more values in a column on SQLite, without touching a row. */
import type { DatabaseSync } from 'node:sqlite'
import { type Kysely, sql } from 'kysely'
import type { Change } from '../migrations/migration.ts'

/**
 * Replaces checks of a table with others that every row already passes. Copying the table would take seconds per
 * 100,000 rows, and our checks have no names by which ALTER TABLE could drop them. So this changes only the text of the
 * definition, by the procedure that SQLite documents for exactly that (sqlite.org/lang_altertable.html, section 7).
 * Inside a transaction: if SQLite cannot read the new definition, this throws, and the rollback restores the old one.
 */
export async function widenChecks(
  raw: DatabaseSync,
  db: Kysely<unknown>,
  table: string,
  changes: Change[],
): Promise<void> {
  const { rows } = await sql<{ sql: string }>`
    select sql from sqlite_schema where type = 'table' and name = ${table}`.execute(db)
  const changed = changes.reduce(replaceConstraint, rows[0]?.sql ?? '')
  const version = await sql<{ schema_version: number }>`pragma schema_version`.execute(db)
  const next = (version.rows[0]?.schema_version ?? 0) + 1
  raw.enableDefensive(false)
  raw.exec('pragma writable_schema = on')
  try {
    await sql`update sqlite_schema set sql = ${changed}
      where type = 'table' and name = ${table}`.execute(db)
    // A new version makes every connection read the definitions again, this one immediately.
    raw.exec(`pragma schema_version = ${next}`)
    await sql`select 1 from ${sql.table(table)} limit 1`.execute(db)
  } finally {
    raw.exec('pragma writable_schema = off')
    raw.enableDefensive(true)
  }
}

/** The definition of a table, in one line, with one constraint changed. Works however the two texts are laid out. */
function replaceConstraint(definition: string, change: Change): string {
  const { name, to } = change
  const from = inOneLine(change.from)
  const whole = inOneLine(definition)
  if (!whole.includes(from)) throw new Error(`The constraint ${name} is not as the migration created it`)
  return whole.replace(from, () => inOneLine(to))
}

const inOneLine = (text: string): string => text.replace(/\s+/g, ' ')
