/** What it takes for several processes to share a database. */
import { sql } from 'kysely'
import type { Migration } from './migration.ts'

export const replicas: Migration = async (db, ddl) => {
  await db.schema.alterTable('submissions').addColumn('batch', ddl.bigint).execute()
  await db.schema
    .createTable('secrets')
    .addColumn('name', 'text', c => c.primaryKey().notNull())
    .addColumn('value', 'text', c => c.notNull())
    .modifyEnd(ddl.keyedTable)
    .execute()

  // These indexes keep each query as quick with millions of leads as with none. Without statistics, SQLite
  // would find a person by leads_kind rather than by the address, were that alone in its index.
  await db.schema.dropIndex('leads_email').execute()
  for (const [name, columns] of [
    ['leads_person', ['email_key', 'kind']],
    ['leads_recent', ['created_at', 'id']],
    ['leads_stage', ['stage', 'created_at', 'id']],
    ['leads_kind', ['kind', 'created_at', 'id']],
  ] as const) {
    await db.schema
      .createIndex(name)
      .on('leads')
      .columns([...columns])
      .execute()
  }
  await db.schema
    .createIndex('tasks_skipped')
    .on('tasks')
    .columns(['lane', 'id'])
    .where(sql.ref('state'), '=', sql.lit('skipped'))
    .execute()
  await db.schema
    .createIndex('submissions_refused')
    .on('submissions')
    .column('received_at')
    .where(sql.ref('answer'), '=', sql.lit(400))
    .execute()
  await db.schema.createIndex('quarantine_listed').on('quarantine').columns(['state', 'submission_id']).execute()
}
