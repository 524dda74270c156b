/** The report of each week, which goes to the manager, and what became of follow-up emails. */
import type { Migration } from './migration.ts'

export const weeklyReport: Migration = async (db, ddl) => {
  // No lead has been counted before this step.
  await db.schema
    .alterTable('lead_facts')
    .addColumn('emails', 'text', c => c.notNull().defaultTo(''))
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
