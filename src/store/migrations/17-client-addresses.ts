/** How far the client addresses of old submissions are deleted. */
import type { Migration } from './migration.ts'

export const clientAddresses: Migration = async (db, ddl) => {
  await db.schema
    .createTable('progress')
    .addColumn('name', 'text', c => c.primaryKey().notNull())
    .addColumn('through', ddl.bigint, c => c.notNull())
    .modifyEnd(ddl.keyedTable)
    .execute()
}
