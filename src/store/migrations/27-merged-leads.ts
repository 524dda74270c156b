/** Leads of one person that were merged: the history of one stands with the other, and each entry says whose it was. */
import type { Migration } from './migration.ts'

export const mergedLeads: Migration = async (db, ddl) => {
  await db.schema.alterTable('leads').addColumn('merged_into', ddl.bigint).execute()
  await db.schema.alterTable('timeline').addColumn('merged_from', ddl.bigint).execute()
  await ddl.widenChecks(db, 'timeline', [
    {
      name: 'timeline_kind_check',
      from: `check (kind in ('submission', 'email', 'stage', 'assigned', 'attempt', 'note', 'paused',
        'resumed', 'undone', 'fresh-link', 'reply', 'auto-reply', 'bounce', 'complaint',
        'unsubscribed', 'not-me', 'closing', 'copy', 'claim', 'staff-mail', 'message', 'skipped',
        'corrected', 'withdrawn'))`,
      to: `check (kind in ('submission', 'email', 'stage', 'assigned', 'attempt', 'note', 'paused',
        'resumed', 'undone', 'fresh-link', 'reply', 'auto-reply', 'bounce', 'complaint',
        'unsubscribed', 'not-me', 'closing', 'copy', 'claim', 'staff-mail', 'message', 'skipped',
        'corrected', 'withdrawn', 'merged', 'unmerged'))`,
    },
  ])
}
