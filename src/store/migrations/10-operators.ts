/** The people who sign in to the console: their sessions, the links that let them in, and the audit log. */
import { sql } from 'kysely'
import type { Migration } from './migration.ts'

export const operators: Migration = async (db, ddl) => {
  await db.schema
    .createTable('operators')
    .addColumn('id', ddl.bigint, ddl.identity)
    .addColumn('email', 'text', c => c.notNull())
    .addColumn('email_key', 'text', c => c.notNull().unique())
    .addColumn('name', 'text', c => c.notNull())
    .addColumn('role', 'text', c => c.notNull().check(sql`role in ('admin', 'manager', 'counselor', 'viewer')`))
    .addColumn('password', 'text')
    .addColumn('totp_secret', 'text')
    .addColumn('totp_step', ddl.bigint)
    .addColumn('shortcuts', 'integer', c => c.notNull().defaultTo(1))
    .addColumn('created_at', ddl.bigint, c => c.notNull())
    .addColumn('disabled_at', ddl.bigint)
    .modifyEnd(ddl.table)
    .execute()

  await db.schema
    .createTable('sessions')
    .addColumn('token_hash', 'text', c => c.primaryKey().notNull())
    .addColumn('operator_id', ddl.bigint, c => c.notNull().references('operators.id'))
    .addColumn('created_at', ddl.bigint, c => c.notNull())
    .addColumn('seen_at', ddl.bigint, c => c.notNull())
    .addColumn('network', 'text', c => c.notNull())
    .addColumn('browser', 'text', c => c.notNull())
    .modifyEnd(ddl.keyedTable)
    .execute()
  await db.schema.createIndex('sessions_operator').on('sessions').column('operator_id').execute()

  await db.schema
    .createTable('operator_links')
    .addColumn('id', ddl.bigint, ddl.identity)
    .addColumn('purpose', 'text', c => c.notNull().check(sql`purpose in ('first', 'invitation', 'reset')`))
    .addColumn('operator_id', ddl.bigint, c => c.references('operators.id'))
    .addColumn('nonce', 'text', c => c.notNull())
    .addColumn('created_at', ddl.bigint, c => c.notNull())
    .addColumn('expires_at', ddl.bigint, c => c.notNull())
    .addColumn('used_at', ddl.bigint)
    .modifyEnd(ddl.table)
    .execute()

  await db.schema
    .createTable('recovery_codes')
    .addColumn('operator_id', ddl.bigint, c => c.notNull().references('operators.id'))
    .addColumn('code_hash', 'text', c => c.notNull())
    .addPrimaryKeyConstraint('recovery_codes_key', ['operator_id', 'code_hash'])
    .modifyEnd(ddl.keyedTable)
    .execute()

  await db.schema
    .createTable('passkeys')
    .addColumn('id', 'text', c => c.primaryKey().notNull())
    .addColumn('operator_id', ddl.bigint, c => c.notNull().references('operators.id'))
    .addColumn('public_key', 'text', c => c.notNull())
    .addColumn('counter', ddl.bigint, c => c.notNull())
    .addColumn('name', 'text', c => c.notNull())
    .addColumn('created_at', ddl.bigint, c => c.notNull())
    .addColumn('used_at', ddl.bigint)
    .modifyEnd(ddl.keyedTable)
    .execute()
  await db.schema.createIndex('passkeys_operator').on('passkeys').column('operator_id').execute()

  await db.schema
    .createTable('audit_log')
    .addColumn('id', ddl.bigint, ddl.identity)
    .addColumn('at', ddl.bigint, c => c.notNull())
    .addColumn('operator_id', ddl.bigint)
    .addColumn('actor', 'text', c => c.notNull())
    .addColumn('action', 'text', c => c.notNull())
    .addColumn('lead_id', ddl.bigint)
    .addColumn('detail', 'text', c => c.notNull())
    .addColumn('network', 'text', c => c.notNull())
    .modifyEnd(ddl.table)
    .execute()
  await db.schema.createIndex('audit_log_at').on('audit_log').column('at').execute()
  await db.schema
    .createIndex('audit_log_operator')
    .on('audit_log')
    .columns(['operator_id', 'action', 'network'])
    .execute()
  await db.schema.createIndex('audit_log_lead').on('audit_log').columns(['lead_id', 'id']).execute()

  await ddl.widenChecks(db, 'tasks', [
    {
      name: 'tasks_kind_check',
      from: `check (kind in ('file', 'refile', 'notify', 'receipt', 'digest', 'step', 'news', 'account',
        'resume', 'unattended', 'forward', 'strays'))`,
      to: `check (kind in ('file', 'refile', 'notify', 'receipt', 'digest', 'step', 'news', 'account',
        'resume', 'unattended', 'forward', 'strays', 'invitation', 'reset'))`,
    },
  ])
}
