/** The lists of the console: open leads in their order, the words that leads are found by, saved views. */
import { sql } from 'kysely'
import type { Migration } from './migration.ts'

export const consoleLists: Migration = async (db, ddl) => {
  // Most leads are closed some day, so these indexes stay small.
  for (const [name, columns] of [
    ['leads_open', ['created_at', 'id']],
    ['leads_open_owner', ['owner', 'stage', 'created_at', 'id']],
  ] as const) {
    await db.schema
      .createIndex(name)
      .on('leads')
      .columns([...columns])
      .where(sql.ref('stage'), '<>', sql.lit('closed'))
      .execute()
  }

  // Deleted with the lead, also by a process of the version before.
  await db.schema
    .createTable('lead_words')
    .addColumn('lead_id', ddl.bigint, c => c.primaryKey().notNull().references('leads.id').onDelete('cascade'))
    .addColumn('words', 'text', c => c.notNull())
    .modifyEnd(ddl.table)
    .execute()
  await ddl.indexWords(db)

  // Leads with smaller ids than this may have no words yet; a background pass adds them.
  await db.schema
    .createTable('words_missing')
    .addColumn('below', ddl.bigint, c => c.primaryKey().notNull())
    .modifyEnd(ddl.table)
    .execute()
  await sql`insert into words_missing
    select max(id) + 1 from leads having max(id) is not null`.execute(db)

  // The filters that operators saved, as the part of a URL after `?`.
  await db.schema
    .createTable('saved_views')
    .addColumn('id', ddl.bigint, ddl.identity)
    .addColumn('operator_id', ddl.bigint, c => c.notNull().references('operators.id'))
    .addColumn('name', 'text', c => c.notNull())
    .addColumn('filter', 'text', c => c.notNull())
    .addColumn('shared', 'integer', c => c.notNull().check(sql`shared in (0, 1)`))
    .addColumn('created_at', ddl.bigint, c => c.notNull())
    .addUniqueConstraint('saved_views_once', ['operator_id', 'name'])
    .modifyEnd(ddl.table)
    .execute()
}
