/**
 * Lists that stay quick with millions of leads: a search that looks at one block of leads after the other,
 * and who to call today.
 */
import { sql } from 'kysely'
import type { Migration } from './migration.ts'

export const searchByBlock: Migration = async (db, ddl) => {
  // Few leads are paused, or have replied: these indexes stay small.
  await db.schema
    .createIndex('leads_paused_until')
    .on('leads')
    .column('paused_until')
    .where(sql.ref('paused_until'), 'is not', null)
    .execute()
  await db.schema
    .createIndex('leads_replied')
    .on('leads')
    .columns(['stage', 'replied_at'])
    .where(sql.ref('replied_at'), 'is not', null)
    .execute()

  await db.schema
    .alterTable('lead_words')
    .addColumn('by_block', 'integer', c => c.notNull().defaultTo(0))
    .execute()
  await ddl.indexWordsByBlock(db)
  // The background pass indexes the leads again that there are, the newest first.
  await sql`delete from words_missing`.execute(db)
  await sql`insert into words_missing
    select max(id) + 1 from leads having max(id) is not null`.execute(db)
}
