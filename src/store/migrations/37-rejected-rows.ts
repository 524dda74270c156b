/** Rows of a list that cannot become inquiries are called rejected, as people read it. */
import { sql } from 'kysely'
import type { Migration } from './migration.ts'

export const rejectedRows: Migration = async db => {
  // Workers of the previous version still count in the old column.
  await db.schema
    .alterTable('imports')
    .addColumn('rejected', 'integer', c => c.notNull().defaultTo(0))
    .execute()
  await sql`update imports set rejected = refused`.execute(db)
  await sql`update import_rows set outcome = 'rejected' where outcome = 'refused'`.execute(db)
}
