/** The admissions follow-up: cadences and their steps, owners, what stops a letter, who has an account. */
import { type Kysely, sql } from 'kysely'
import type { Ddl, Migration } from './migration.ts'

export const followUp: Migration = async (db, ddl) => {
  await widenWhatIsThere(db, ddl)

  // What the settings said when leads began to be followed up by it.
  await db.schema
    .createTable('cadences')
    .addColumn('id', ddl.bigint, ddl.identity)
    .addColumn('kind', 'text', c => c.notNull().check(sql`kind in ('site', 'student')`))
    .addColumn('digest', 'text', c => c.notNull())
    .addColumn('steps', 'text', c => c.notNull())
    .addColumn('created_at', ddl.bigint, c => c.notNull())
    .addUniqueConstraint('cadences_once', ['kind', 'digest'])
    .modifyEnd(ddl.table)
    .execute()

  await db.schema
    .alterTable('leads')
    .addColumn('cadence_id', ddl.bigint, c => c.references('cadences.id'))
    .execute()
  for (const column of ['follow_up_since', 'first_attempt_at', 'first_contact_at', 'paused_at', 'replied_at']) {
    await db.schema.alterTable('leads').addColumn(column, ddl.bigint).execute()
  }
  await db.schema.alterTable('leads').addColumn('owner', 'text').execute()
  await db.schema
    .alterTable('leads')
    .addColumn('account', 'integer', c => c.notNull().defaultTo(0).check(sql`account in (0, 1)`))
    .execute()

  await db.schema
    .createTable('turns')
    .addColumn('pool', 'text', c => c.notNull())
    .addColumn('counselor', 'text', c => c.notNull())
    .addColumn('credit', ddl.bigint, c => c.notNull())
    .addPrimaryKeyConstraint('turns_key', ['pool', 'counselor'])
    .modifyEnd(ddl.keyedTable)
    .execute()

  await db.schema
    .createTable('absences')
    .addColumn('id', ddl.bigint, ddl.identity)
    .addColumn('counselor', 'text', c => c.notNull())
    .addColumn('first_day', 'text', c => c.notNull())
    .addColumn('last_day', 'text', c => c.notNull())
    .addCheckConstraint('absences_order', sql`first_day <= last_day`)
    .modifyEnd(ddl.table)
    .execute()

  await db.schema
    .createTable('suppressions')
    .addColumn('address_hash', 'text', c => c.primaryKey().notNull())
    .addColumn('reason', 'text', c =>
      c.notNull().check(sql`reason in ('unsubscribed', 'bounced', 'complaint', 'not me')`),
    )
    .addColumn('since', ddl.bigint, c => c.notNull())
    .modifyEnd(ddl.keyedTable)
    .execute()

  await db.schema
    .createTable('accounts')
    .addColumn('address_hash', 'text', c => c.primaryKey().notNull())
    .modifyEnd(ddl.keyedTable)
    .execute()

  // Up to where a watched mailbox has been read.
  await db.schema
    .createTable('mailboxes')
    .addColumn('name', 'text', c => c.primaryKey().notNull())
    .addColumn('uid_validity', 'text', c => c.notNull())
    .addColumn('last_uid', ddl.bigint, c => c.notNull())
    .modifyEnd(ddl.keyedTable)
    .execute()
}

async function widenWhatIsThere(db: Kysely<unknown>, ddl: Ddl): Promise<void> {
  await ddl.changeConstraints(db, 'submissions', [
    { name: 'submissions_answer_check', from: 'check (answer in (200, 400))', to: 'check (answer in (200, 400, 409))' },
  ])

  await db.schema.alterTable('timeline').addColumn('actor', 'text').execute()
  await ddl.changeConstraints(db, 'timeline', [
    {
      name: 'timeline_kind_check',
      from: `check (kind in ('submission', 'email'))`,
      to: `check (kind in ('submission', 'email', 'stage', 'assigned', 'attempt', 'note', 'paused',
        'resumed', 'reply', 'auto-reply', 'bounce', 'complaint', 'unsubscribed', 'not-me'))`,
    },
  ])

  await db.schema
    .alterTable('tasks')
    .addColumn('step', 'integer', c => c.notNull().defaultTo(0))
    .execute()
  await db.schema.alterTable('tasks').addColumn('begun_at', ddl.bigint).execute()
  await ddl.changeConstraints(db, 'tasks', [
    {
      name: 'tasks_lane_check',
      from: `check (lane in ('filing', 'mail'))`,
      to: `check (lane in ('filing', 'mail', 'follow-up', 'letters'))`,
    },
    {
      name: 'tasks_kind_check',
      from: `check (kind in ('file', 'refile', 'notify', 'receipt', 'digest'))`,
      to: `check (kind in ('file', 'refile', 'notify', 'receipt', 'digest', 'step', 'news', 'account'))`,
    },
    { name: 'tasks_once', from: `unique ("kind", "subject")`, to: `unique ("kind", "subject", "step")` },
  ])
  // The letters that were begun, among the many steps that are due some day.
  await db.schema
    .createIndex('tasks_begun')
    .on('tasks')
    .columns(['lane', 'state', 'id'])
    .where(sql<boolean>`begun_at is not null`)
    .execute()

  // Used whenever a submission is deleted, to make sure that no entry is about it.
  await db.schema.createIndex('timeline_about').on('timeline').column('submission_id').execute()
}
