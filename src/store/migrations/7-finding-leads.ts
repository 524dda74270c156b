/** Finding leads: by their phone number, also by one that a later inquiry gave, and by their counselor. */
import { type Kysely, sql } from 'kysely'
import type { Migration } from './migration.ts'

export const findingLeads: Migration = async db => {
  await db.schema.alterTable('leads').addColumn('latest_phone', 'text').execute()
  for (const column of ['phone_e164', 'latest_phone']) await indexKnown(db, column)
  await db.schema.createIndex('leads_owner').on('leads').columns(['owner', 'created_at', 'id']).execute()
}

const indexKnown = (db: Kysely<unknown>, column: string): Promise<void> =>
  db.schema.createIndex(`leads_${column}`).on('leads').column(column).where(sql.ref(column), 'is not', null).execute()
