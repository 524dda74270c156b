/** The report of each week, which goes to the manager, what became of follow-up emails, and how late emails are. */
import { sql } from 'kysely'
import type { Migration } from './migration.ts'

export const weeklyReport: Migration = async (db, ddl) => {
  // No lead has been counted before this step.
  await db.schema
    .alterTable('lead_facts')
    .addColumn('emails', 'text', c => c.notNull().defaultTo(''))
    .execute()
  await db.schema
    .createTable('delivery_counts')
    .addColumn('hour', ddl.bigint, c => c.notNull())
    .addColumn('audience', 'text', c => c.notNull().check(sql`audience in ('people', 'staff')`))
    .addColumn('late', ddl.bigint, c => c.notNull())
    .addColumn('sent', ddl.bigint, c => c.notNull())
    .addColumn('retried', ddl.bigint, c => c.notNull())
    .addPrimaryKeyConstraint('delivery_counts_key', ['hour', 'audience', 'late'])
    .modifyEnd(ddl.keyedTable)
    .execute()
  await ddl.widenChecks(db, 'tasks', [
    {
      name: 'tasks_kind_check',
      from: `check (kind in ('file', 'refile', 'notify', 'receipt', 'digest', 'step', 'news', 'account',
        'resume', 'unattended', 'forward', 'strays', 'invitation', 'reset', 'message'))`,
      to: `check (kind in ('file', 'refile', 'notify', 'receipt', 'digest', 'step', 'news', 'account',
        'resume', 'unattended', 'forward', 'strays', 'invitation', 'reset', 'message', 'report'))`,
    },
  ])
}
