/** Since when the language of a lead counts, so that an earlier form that is filed later does not set it back. */
import type { Migration } from './migration.ts'

export const timesOfLanguages: Migration = async (db, ddl) => {
  await db.schema.alterTable('leads').addColumn('language_at', ddl.bigint).execute()
}
