/** When someone acknowledged that a message was given up. */
import type { Migration } from './migration.ts'

export const acknowledgedMail: Migration = async (db, ddl) => {
  await db.schema.alterTable('tasks').addColumn('acknowledged_at', ddl.bigint).execute()
}
