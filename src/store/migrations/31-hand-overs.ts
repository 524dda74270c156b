/** Hand-overs of all leads of one person: what is to be done, how far it is, and which leads it moved. */
import { sql } from 'kysely'
import type { Migration } from './migration.ts'

export const handOvers: Migration = async (db, ddl) => {
  await db.schema
    .createTable('hand_overs')
    .addColumn('id', ddl.bigint, ddl.identity)
    .addColumn('at', ddl.bigint, c => c.notNull())
    .addColumn('from_owner', 'text', c => c.notNull())
    .addColumn('from_name', 'text', c => c.notNull())
    .addColumn('actor', 'text', c => c.notNull())
    .addColumn('plan', 'text', c => c.notNull())
    .addColumn('state', 'text', c => c.notNull().check(sql`state in ('running', 'done', 'undoing', 'undone')`))
    // Grows with every portion, so that of two processes that do the same one, only one does.
    .addColumn('version', ddl.bigint, c => c.notNull())
    .addColumn('turns', 'text', c => c.notNull())
    .addColumn('recipients', 'text', c => c.notNull())
    .addColumn('finished_at', ddl.bigint)
    .addColumn('undone_by', 'text')
    .modifyEnd(ddl.table)
    .execute()
  await sql`create unique index hand_overs_unfinished on hand_overs (from_owner)
    where state in ('running', 'undoing')`.execute(db)

  // Deleted with the lead, also by a process of the version before.
  await db.schema
    .createTable('hand_over_leads')
    .addColumn('hand_over_id', ddl.bigint, c => c.notNull().references('hand_overs.id'))
    .addColumn('lead_id', ddl.bigint, c => c.notNull().references('leads.id').onDelete('cascade'))
    .addColumn('owner', 'text')
    .addColumn('entry_id', ddl.bigint, c => c.notNull())
    // 1 once the lead was given back; 0 if it was not, because someone changed its owner since.
    .addColumn('restored', 'integer')
    .addPrimaryKeyConstraint('hand_over_leads_key', ['hand_over_id', 'lead_id'])
    .modifyEnd(ddl.keyedTable)
    .execute()
  await db.schema.createIndex('hand_over_leads_lead').on('hand_over_leads').column('lead_id').execute()

  await ddl.widenChecks(db, 'tasks', [
    {
      name: 'tasks_kind_check',
      from: `check (kind in ('file', 'refile', 'notify', 'receipt', 'digest', 'step', 'news', 'account',
        'resume', 'unattended', 'forward', 'strays', 'invitation', 'reset', 'message', 'report',
        'import', 'imported', 'erasure', 'retention', 'daily'))`,
      to: `check (kind in ('file', 'refile', 'notify', 'receipt', 'digest', 'step', 'news', 'account',
        'resume', 'unattended', 'forward', 'strays', 'invitation', 'reset', 'message', 'report',
        'import', 'imported', 'erasure', 'retention', 'daily', 'hand-over'))`,
    },
  ])
}
