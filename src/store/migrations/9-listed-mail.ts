/** The list in which a mail about no lead is forwarded, if there are many. */
import type { Migration } from './migration.ts'

export const listedMail: Migration = async (db, ddl) => {
  await db.schema.alterTable('stray_mail').addColumn('listed_on', ddl.bigint).execute()
}
