/** The parts of the settings that are edited in the console, and who recorded an absence. */
import type { Migration } from './migration.ts'

export const editedSettings: Migration = async (db, ddl) => {
  // Append-only: every version of a part that was ever in force. The newest is.
  await db.schema
    .createTable('edited_settings')
    .addColumn('id', ddl.bigint, ddl.identity)
    .addColumn('part', 'text', c => c.notNull())
    // The id of the version before it, or 0: of two edits of the same version, only one is saved.
    .addColumn('replaces', ddl.bigint, c => c.notNull())
    .addColumn('value', 'text')
    .addColumn('created_at', ddl.bigint, c => c.notNull())
    .addColumn('created_by', 'text', c => c.notNull())
    .addColumn('note', 'text', c => c.notNull())
    .addUniqueConstraint('edited_settings_once', ['part', 'replaces'])
    .modifyEnd(ddl.table)
    .execute()

  await db.schema.alterTable('absences').addColumn('created_by', 'text').execute()
}
