/** A version of the schema after the newest, as a later release will have one, and upgrading a database to it. */
import { sql } from 'kysely'
import type { DatabaseAddress } from '../../src/config/environment.ts'
import { migrations, schemaVersion } from '../../src/store/migrations/migrate.ts'
import type { Migration } from '../../src/store/migrations/migration.ts'
import { prepareDatabase } from '../../src/store/postgres/database.ts'
import { openSqlite } from '../../src/store/sqlite/database.ts'

export const laterVersion = schemaVersion + 1

/** Does what later migrations are likely to do: a column, a table, and more values in a column that is checked. */
const later: Migration = async (db, ddl) => {
  await sql.raw(`alter table leads add column nickname text`).execute(db)
  await ddl.widenChecks(db, 'hand_overs', [
    {
      name: 'hand_overs_state_check',
      from: `check (state in ('running', 'done', 'undoing', 'undone'))`,
      to: `check (state in ('running', 'done', 'undoing', 'undone', 'stopped'))`,
    },
  ])
  await sql.raw(`create table prizes (id ${ddl.id}, lead_id ${ddl.bigint} not null) ${ddl.table}`).execute(db)
}

/** Upgrades a database to the later version, as a start of that release would. */
export async function upgrade(database: DatabaseAddress): Promise<void> {
  const steps = [...migrations, later]
  if (database.engine === 'postgres') {
    await prepareDatabase(database.url, steps)
    return
  }
  const { db } = await openSqlite(database.file, 0, { steps })
  await db.destroy()
}
