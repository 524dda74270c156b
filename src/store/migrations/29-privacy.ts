/**
 * Erasures: the register of what was erased, the requests that a second person confirms, and what the
 * retention rules will erase, and when.
 */
import { sql } from 'kysely'
import type { Migration } from './migration.ts'

export const privacy: Migration = async (db, ddl) => {
  // Nothing in it leads back to the person.
  await db.schema
    .createTable('erasures')
    .addColumn('id', ddl.bigint, ddl.identity)
    .addColumn('at', ddl.bigint, c => c.notNull())
    .addColumn('asked_by', 'text', c => c.notNull())
    .addColumn('confirmed_by', 'text')
    .addColumn('reason', 'text', c => c.notNull().check(sql`reason in ('asked', 'not needed', 'retention')`))
    .addColumn('people', ddl.bigint, c => c.notNull())
    .addColumn('leads', ddl.bigint, c => c.notNull())
    .addColumn('submissions', ddl.bigint, c => c.notNull())
    .addColumn('messages', ddl.bigint, c => c.notNull())
    .modifyEnd(ddl.table)
    .execute()

  // The address is only there while the request waits.
  await db.schema
    .createTable('erasure_requests')
    .addColumn('id', ddl.bigint, ddl.identity)
    .addColumn('email', 'text')
    .addColumn('reason', 'text', c => c.notNull().check(sql`reason in ('asked', 'not needed')`))
    .addColumn('asked_by', ddl.bigint, c => c.notNull().references('operators.id'))
    .addColumn('created_at', ddl.bigint, c => c.notNull())
    .addColumn('expires_at', ddl.bigint, c => c.notNull())
    .addColumn('outcome', 'text', c => c.check(sql`outcome in ('erased', 'refused', 'withdrawn', 'expired')`))
    .addColumn('decided_at', ddl.bigint)
    .addColumn('decided_by', 'text')
    .modifyEnd(ddl.table)
    .execute()

  // Deleted with the lead, also by a process of the version before.
  await db.schema
    .createTable('lead_holds')
    .addColumn('lead_id', ddl.bigint, c => c.primaryKey().notNull().references('leads.id').onDelete('cascade'))
    .addColumn('reason', 'text', c => c.notNull())
    .addColumn('until', ddl.bigint)
    .addColumn('actor', 'text', c => c.notNull())
    .addColumn('created_at', ddl.bigint, c => c.notNull())
    .modifyEnd(ddl.keyedTable)
    .execute()
  await db.schema
    .createTable('planned_erasures')
    .addColumn('lead_id', ddl.bigint, c => c.primaryKey().notNull().references('leads.id').onDelete('cascade'))
    .addColumn('erase_at', ddl.bigint, c => c.notNull())
    .addColumn('planned_at', ddl.bigint, c => c.notNull())
    .modifyEnd(ddl.keyedTable)
    .execute()
  await db.schema.createIndex('planned_erasures_at').on('planned_erasures').columns(['erase_at', 'lead_id']).execute()

  // What someone had searched for may be a name, and the log outlives a person who is erased.
  await sql`update audit_log set detail = 'search words'
    where action = 'exported leads' and detail like '%q=%'`.execute(db)

  await ddl.widenChecks(db, 'tasks', [
    {
      name: 'tasks_kind_check',
      from: `check (kind in ('file', 'refile', 'notify', 'receipt', 'digest', 'step', 'news', 'account',
        'resume', 'unattended', 'forward', 'strays', 'invitation', 'reset', 'message', 'report',
        'import', 'imported'))`,
      to: `check (kind in ('file', 'refile', 'notify', 'receipt', 'digest', 'step', 'news', 'account',
        'resume', 'unattended', 'forward', 'strays', 'invitation', 'reset', 'message', 'report',
        'import', 'imported', 'erasure', 'retention'))`,
    },
  ])
}
