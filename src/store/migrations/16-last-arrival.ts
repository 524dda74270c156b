/** When the last message of a watched mailbox arrived: it finds our place if the server numbers the messages again. */
import type { Migration } from './migration.ts'

export const lastArrival: Migration = async (db, ddl) => {
  await db.schema.alterTable('mailboxes').addColumn('last_arrival', ddl.bigint).execute()
}
