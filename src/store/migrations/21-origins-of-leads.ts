/** Where leads came from, and whether they agreed to calls and texts: what lists filter by. */
import type { Migration } from './migration.ts'

export const originsOfLeads: Migration = async (db, ddl) => {
  for (const column of ['campaign', 'came_from', 'consent'])
    await db.schema.alterTable('leads').addColumn(column, 'text').execute()
  await db.schema.alterTable('leads').addColumn('consent_at', ddl.bigint).execute()
  await ddl.widenChecks(db, 'timeline', [
    {
      name: 'timeline_kind_check',
      from: `check (kind in ('submission', 'email', 'stage', 'assigned', 'attempt', 'note', 'paused',
        'resumed', 'undone', 'fresh-link', 'reply', 'auto-reply', 'bounce', 'complaint',
        'unsubscribed', 'not-me', 'closing', 'copy', 'claim', 'staff-mail', 'message', 'skipped',
        'corrected'))`,
      to: `check (kind in ('submission', 'email', 'stage', 'assigned', 'attempt', 'note', 'paused',
        'resumed', 'undone', 'fresh-link', 'reply', 'auto-reply', 'bounce', 'complaint',
        'unsubscribed', 'not-me', 'closing', 'copy', 'claim', 'staff-mail', 'message', 'skipped',
        'corrected', 'withdrawn'))`,
    },
  ])
}
