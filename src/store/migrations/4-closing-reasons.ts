/** Two more reasons for closing a lead: no one at the school ever tried to reach them, or it is not a lead. */
import type { Migration } from './migration.ts'

export const closingReasons: Migration = async (db, ddl) => {
  await ddl.widenChecks(db, 'leads', [
    {
      name: 'leads_closed_reason_check',
      from: `check (closed_reason in ('no reply', 'not interested', 'not eligible', 'unreachable',
          'duplicate', 'unsubscribed', 'spam'))`,
      to: `check (closed_reason in ('no reply', 'never contacted', 'not interested', 'not eligible',
        'unreachable', 'duplicate', 'unsubscribed', 'not a lead', 'spam'))`,
    },
  ])
}
