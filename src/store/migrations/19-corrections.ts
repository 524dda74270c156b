/** When someone at the school last corrected the email address or phone number of a lead. */
import type { Migration } from './migration.ts'

export const corrections: Migration = async (db, ddl) => {
  await db.schema.alterTable('leads').addColumn('corrected_at', ddl.bigint).execute()
}
