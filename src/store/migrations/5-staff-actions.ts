/** What undoing an action needs, who decided about a quarantined submission, and pauses that end. */
import type { Migration } from './migration.ts'

export const staffActions: Migration = async (db, ddl) => {
  await db.schema.alterTable('timeline').addColumn('was', 'text').execute()
  await db.schema.alterTable('timeline').addColumn('undone_at', ddl.bigint).execute()
  await db.schema.alterTable('quarantine').addColumn('decided_by', 'text').execute()
  await db.schema.alterTable('leads').addColumn('paused_until', ddl.bigint).execute()
  await ddl.widenChecks(db, 'timeline', [
    {
      name: 'timeline_kind_check',
      from: `check (kind in ('submission', 'email', 'stage', 'assigned', 'attempt', 'note', 'paused',
        'resumed', 'reply', 'auto-reply', 'bounce', 'complaint', 'unsubscribed', 'not-me'))`,
      to: `check (kind in ('submission', 'email', 'stage', 'assigned', 'attempt', 'note', 'paused',
        'resumed', 'undone', 'fresh-link', 'reply', 'auto-reply', 'bounce', 'complaint',
        'unsubscribed', 'not-me'))`,
    },
  ])
  await ddl.widenChecks(db, 'tasks', [
    {
      name: 'tasks_lane_check',
      from: `check (lane in ('filing', 'mail', 'follow-up', 'letters'))`,
      to: `check (lane in ('filing', 'mail', 'follow-up', 'letters', 'pauses'))`,
    },
    {
      name: 'tasks_kind_check',
      from: `check (kind in ('file', 'refile', 'notify', 'receipt', 'digest', 'step', 'news', 'account'))`,
      to: `check (kind in ('file', 'refile', 'notify', 'receipt', 'digest', 'step', 'news', 'account',
        'resume'))`,
    },
  ])
}
