/** How operators learn of what concerns them: by email, in their browser, or once a day. */
import { sql } from 'kysely'
import type { Migration } from './migration.ts'

export const notices: Migration = async (db, ddl) => {
  await db.schema
    .createTable('notice_choices')
    .addColumn('operator_id', ddl.bigint, c => c.primaryKey().notNull().references('operators.id'))
    .addColumn('email', 'text', c => c.notNull().check(sql`email in ('at once', 'daily', 'browser')`))
    .addColumn('unassigned', 'integer', c => c.notNull())
    .addColumn('quiet_from', 'integer', c => c.notNull())
    .addColumn('quiet_to', 'integer', c => c.notNull())
    .modifyEnd(ddl.keyedTable)
    .execute()

  await db.schema
    .createTable('push_subscriptions')
    .addColumn('id', ddl.bigint, ddl.identity)
    .addColumn('operator_id', ddl.bigint, c => c.notNull().references('operators.id'))
    .addColumn('endpoint', 'text', c => c.notNull().unique())
    .addColumn('browser', 'text', c => c.notNull())
    .addColumn('created_at', ddl.bigint, c => c.notNull())
    .modifyEnd(ddl.table)
    .execute()
  await db.schema.createIndex('push_subscriptions_of').on('push_subscriptions').column('operator_id').execute()

  // What a notice says comes from the message of its task, so that an erased person is in none.
  await db.schema
    .createTable('notices')
    .addColumn('id', ddl.bigint, ddl.identity)
    .addColumn('operator_id', ddl.bigint, c => c.notNull().references('operators.id'))
    .addColumn('task_id', ddl.bigint, c => c.notNull())
    .addColumn('at', ddl.bigint, c => c.notNull())
    .addColumn('daily', 'integer', c => c.notNull())
    .addUniqueConstraint('notices_once', ['operator_id', 'task_id'])
    .modifyEnd(ddl.table)
    .execute()

  await ddl.widenChecks(db, 'tasks', [
    {
      name: 'tasks_kind_check',
      from: `check (kind in ('file', 'refile', 'notify', 'receipt', 'digest', 'step', 'news', 'account',
        'resume', 'unattended', 'forward', 'strays', 'invitation', 'reset', 'message', 'report',
        'import', 'imported', 'erasure', 'retention'))`,
      to: `check (kind in ('file', 'refile', 'notify', 'receipt', 'digest', 'step', 'news', 'account',
        'resume', 'unattended', 'forward', 'strays', 'invitation', 'reset', 'message', 'report',
        'import', 'imported', 'erasure', 'retention', 'daily'))`,
    },
  ])
}
