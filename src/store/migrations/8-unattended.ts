/** Leads that no one tried to reach, and mail to the watched mailbox: attachments, copies, mail about no lead. */
import { sql } from 'kysely'
import type { Migration } from './migration.ts'

export const unattended: Migration = async (db, ddl) => {
  await db.schema.alterTable('leads').addColumn('closing_at', ddl.bigint).execute()
  // What the daily mail about unattended leads looks up.
  await db.schema
    .createIndex('leads_closing')
    .on('leads')
    .column('closing_at')
    .where(sql.ref('closing_at'), 'is not', null)
    .execute()
  await db.schema
    .createIndex('leads_never_contacted')
    .on('leads')
    .column('updated_at')
    .where(sql.ref('closed_reason'), '=', sql.lit('never contacted'))
    .execute()

  await db.schema.alterTable('timeline').addColumn('mail', 'text').execute()
  await ddl.widenChecks(db, 'timeline', [
    {
      name: 'timeline_kind_check',
      from: `check (kind in ('submission', 'email', 'stage', 'assigned', 'attempt', 'note', 'paused',
        'resumed', 'undone', 'fresh-link', 'reply', 'auto-reply', 'bounce', 'complaint',
        'unsubscribed', 'not-me'))`,
      to: `check (kind in ('submission', 'email', 'stage', 'assigned', 'attempt', 'note', 'paused',
        'resumed', 'undone', 'fresh-link', 'reply', 'auto-reply', 'bounce', 'complaint',
        'unsubscribed', 'not-me', 'closing', 'copy', 'claim', 'staff-mail'))`,
    },
  ])
  await ddl.widenChecks(db, 'tasks', [
    {
      name: 'tasks_kind_check',
      from: `check (kind in ('file', 'refile', 'notify', 'receipt', 'digest', 'step', 'news', 'account',
        'resume'))`,
      to: `check (kind in ('file', 'refile', 'notify', 'receipt', 'digest', 'step', 'news', 'account',
        'resume', 'unattended', 'forward', 'strays'))`,
    },
  ])

  // Mail to the watched mailbox that is about no lead, until it is forwarded.
  await db.schema
    .createTable('stray_mail')
    .addColumn('id', ddl.bigint, ddl.identity)
    .addColumn('received_at', ddl.bigint, c => c.notNull())
    .addColumn('sender', 'text', c => c.notNull())
    .addColumn('subject', 'text', c => c.notNull())
    .addColumn('text', 'text', c => c.notNull())
    .addColumn('attachments', 'text', c => c.notNull())
    .modifyEnd(ddl.table)
    .execute()
}
