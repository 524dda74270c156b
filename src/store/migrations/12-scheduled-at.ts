/** When the due time of a task was set: a clock that was ahead is recognized by it. */
import type { Migration } from './migration.ts'

export const scheduledAt: Migration = async (db, ddl) => {
  await db.schema.alterTable('tasks').addColumn('scheduled_at', ddl.bigint).execute()
}
