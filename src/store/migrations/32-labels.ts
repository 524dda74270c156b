/** Labels of leads: tags that the staff give them, and programs that they are interested in. */
import { sql } from 'kysely'
import type { Migration } from './migration.ts'

export const labels: Migration = async (db, ddl) => {
  await db.schema
    .createTable('labels')
    .addColumn('id', ddl.bigint, ddl.identity)
    .addColumn('kind', 'text', c => c.notNull().check(sql`kind in ('tag', 'program')`))
    .addColumn('name', 'text', c => c.notNull())
    // The name without capitals and accents.
    .addColumn('name_key', 'text', c => c.notNull())
    .addUniqueConstraint('labels_once', ['kind', 'name_key'])
    .modifyEnd(ddl.table)
    .execute()

  // Deleted with the lead, also by a process of the version before.
  await db.schema
    .createTable('lead_labels')
    .addColumn('lead_id', ddl.bigint, c => c.notNull().references('leads.id').onDelete('cascade'))
    .addColumn('label_id', ddl.bigint, c => c.notNull().references('labels.id').onDelete('cascade'))
    .addPrimaryKeyConstraint('lead_labels_once', ['lead_id', 'label_id'])
    .modifyEnd(ddl.keyedTable)
    .execute()
  await db.schema.createIndex('lead_labels_label').on('lead_labels').columns(['label_id', 'lead_id']).execute()

  await ddl.widenChecks(db, 'timeline', [
    {
      name: 'timeline_kind_check',
      from: `check (kind in ('submission', 'email', 'stage', 'assigned', 'attempt', 'note', 'paused',
        'resumed', 'undone', 'fresh-link', 'reply', 'auto-reply', 'bounce', 'complaint',
        'unsubscribed', 'not-me', 'closing', 'copy', 'claim', 'staff-mail', 'message', 'skipped',
        'corrected', 'withdrawn', 'merged', 'unmerged'))`,
      to: `check (kind in ('submission', 'email', 'stage', 'assigned', 'attempt', 'note', 'paused',
        'resumed', 'undone', 'fresh-link', 'reply', 'auto-reply', 'bounce', 'complaint',
        'unsubscribed', 'not-me', 'closing', 'copy', 'claim', 'staff-mail', 'message', 'skipped',
        'corrected', 'withdrawn', 'merged', 'unmerged', 'labeled', 'unlabeled'))`,
    },
  ])
}
