/** Submissions, and the tables that filing derives from them. */
import { sql } from 'kysely'
import type { Migration } from './migration.ts'

export const intake: Migration = async (db, ddl) => {
  await db.schema
    .createTable('submissions')
    .addColumn('id', ddl.bigint, ddl.identity)
    .addColumn('kind', 'text', c => c.notNull().check(sql`kind in ('site', 'student')`))
    .addColumn('received_at', ddl.bigint, c => c.notNull())
    .addColumn('key', 'text', c => c.notNull())
    .addColumn('fingerprint', 'text', c => c.notNull())
    .addColumn('email', 'text', c => c.notNull())
    .addColumn('answer', 'integer', c => c.notNull().check(sql`answer in (200, 400)`))
    .addColumn('body', 'text', c => c.notNull())
    .addColumn('client_address', 'text', c => c.notNull())
    .modifyEnd(ddl.table)
    .execute()

  await db.schema
    .createTable('idempotency_keys')
    .addColumn('key', 'text', c => c.primaryKey().notNull())
    .addColumn('submission_id', ddl.bigint, c => c.notNull())
    .modifyEnd(ddl.keyedTable)
    .execute()

  await db.schema
    .createTable('tasks')
    .addColumn('id', ddl.bigint, ddl.identity)
    .addColumn('lane', 'text', c => c.notNull().check(sql`lane in ('filing', 'mail')`))
    .addColumn('kind', 'text', c => c.notNull().check(sql`kind in ('file', 'refile', 'notify', 'receipt', 'digest')`))
    .addColumn('subject', ddl.bigint, c => c.notNull())
    .addColumn('through', ddl.bigint)
    .addColumn('due_at', ddl.bigint, c => c.notNull())
    .addColumn('state', 'text', c => c.notNull().check(sql`state in ('due', 'done', 'dead', 'skipped')`))
    .addColumn('attempts', 'integer', c => c.notNull())
    .addColumn('lease_until', ddl.bigint)
    .addColumn('lease_token', 'text')
    .addColumn('note', 'text')
    .addColumn('created_at', ddl.bigint, c => c.notNull())
    .addColumn('finished_at', ddl.bigint)
    .addCheckConstraint('tasks_range', sql`(kind = 'file') = (through is not null)`)
    .addUniqueConstraint('tasks_once', ['kind', 'subject'])
    .modifyEnd(ddl.table)
    .execute()
  await db.schema
    .createIndex('tasks_due')
    .on('tasks')
    .columns(['lane', 'due_at', 'id'])
    .where(sql.ref('state'), '=', sql.lit('due'))
    .execute()
  await db.schema
    .createIndex('tasks_dead')
    .on('tasks')
    .columns(['lane', 'id'])
    .where(sql.ref('state'), '=', sql.lit('dead'))
    .execute()

  await db.schema
    .createTable('leads')
    .addColumn('id', ddl.bigint, c => c.primaryKey().notNull().references('submissions.id'))
    .addColumn('kind', 'text', c => c.notNull().check(sql`kind in ('site', 'student')`))
    .addColumn('stage', 'text', c =>
      c.notNull().check(
        sql`case kind
          when 'site' then stage in ('new', 'contacted', 'meeting', 'agreement', 'active', 'closed')
          else stage in ('new', 'contacted', 'qualified', 'applied', 'enrolled', 'closed') end`,
      ),
    )
    .addColumn('closed_reason', 'text', c =>
      c.check(
        sql`closed_reason in ('no reply', 'not interested', 'not eligible', 'unreachable',
          'duplicate', 'unsubscribed', 'spam')`,
      ),
    )
    .addColumn('email', 'text', c => c.notNull())
    .addColumn('email_key', 'text', c => c.notNull())
    .addColumn('first_name', 'text', c => c.notNull())
    .addColumn('last_name', 'text', c => c.notNull())
    .addColumn('phone', 'text', c => c.notNull())
    .addColumn('phone_e164', 'text')
    .addColumn('company', 'text')
    .addColumn('state', 'text')
    .addColumn('created_at', ddl.bigint, c => c.notNull())
    .addColumn('updated_at', ddl.bigint, c => c.notNull())
    .addCheckConstraint('leads_closed', sql`(stage = 'closed') = (closed_reason is not null)`)
    .modifyEnd(ddl.table)
    .execute()
  await db.schema
    .createIndex('leads_one_open')
    .unique()
    .on('leads')
    .columns(['email_key', 'kind'])
    .where(sql.ref('stage'), '<>', sql.lit('closed'))
    .execute()

  await db.schema.createIndex('leads_email').on('leads').column('email_key').execute()

  await db.schema
    .createTable('timeline')
    .addColumn('id', ddl.bigint, ddl.identity)
    .addColumn('lead_id', ddl.bigint, c => c.notNull().references('leads.id'))
    .addColumn('at', ddl.bigint, c => c.notNull())
    .addColumn('kind', 'text', c => c.notNull().check(sql`kind in ('submission', 'email')`))
    .addColumn('submission_id', ddl.bigint, c => c.references('submissions.id'))
    .addColumn('detail', 'text', c => c.notNull())
    .modifyEnd(ddl.table)
    .execute()
  await db.schema.createIndex('timeline_lead').on('timeline').columns(['lead_id', 'id']).execute()
  await db.schema
    .createIndex('timeline_submission')
    .unique()
    .on('timeline')
    .column('submission_id')
    .where(sql.ref('kind'), '=', sql.lit('submission'))
    .execute()

  await db.schema
    .createTable('quarantine')
    .addColumn('submission_id', ddl.bigint, c => c.primaryKey().notNull().references('submissions.id'))
    .addColumn('reason', 'text', c => c.notNull().check(sql`reason in ('honeypot', 'screening')`))
    .addColumn('email_key', 'text', c => c.notNull())
    .addColumn('signals', 'text', c => c.notNull())
    .addColumn('state', 'text', c => c.notNull().check(sql`state in ('held', 'released', 'dismissed')`))
    .addColumn('held_at', ddl.bigint, c => c.notNull())
    .addColumn('decided_at', ddl.bigint)
    .modifyEnd(ddl.table)
    .execute()
  await db.schema.createIndex('quarantine_state').on('quarantine').columns(['state', 'held_at']).execute()
  await db.schema
    .createIndex('quarantine_held_email')
    .on('quarantine')
    .column('email_key')
    .where(sql.ref('state'), '=', sql.lit('held'))
    .execute()

  await db.schema
    .createTable('message_texts')
    .addColumn('digest', 'text', c => c.notNull())
    .addColumn('email_key', 'text', c => c.notNull())
    .addColumn('seen_at', ddl.bigint, c => c.notNull())
    .addPrimaryKeyConstraint('message_texts_key', ['digest', 'email_key'])
    .modifyEnd(ddl.keyedTable)
    .execute()
  await db.schema.createIndex('message_texts_seen').on('message_texts').column('seen_at').execute()
}
