/**
 * What people do in the console: emails that they write to a person, each an entry of the timeline and a
 * task in a lane of its own; steps that they skip; contact data that they correct.
 */
import type { Migration } from './migration.ts'

export const messages: Migration = async (db, ddl) => {
  await ddl.widenChecks(db, 'timeline', [
    {
      name: 'timeline_kind_check',
      from: `check (kind in ('submission', 'email', 'stage', 'assigned', 'attempt', 'note', 'paused',
        'resumed', 'undone', 'fresh-link', 'reply', 'auto-reply', 'bounce', 'complaint',
        'unsubscribed', 'not-me', 'closing', 'copy', 'claim', 'staff-mail'))`,
      to: `check (kind in ('submission', 'email', 'stage', 'assigned', 'attempt', 'note', 'paused',
        'resumed', 'undone', 'fresh-link', 'reply', 'auto-reply', 'bounce', 'complaint',
        'unsubscribed', 'not-me', 'closing', 'copy', 'claim', 'staff-mail', 'message', 'skipped',
        'corrected'))`,
    },
  ])
  // A lane that the workers of the previous version do not know: they would send something else.
  await ddl.widenChecks(db, 'tasks', [
    {
      name: 'tasks_lane_check',
      from: `check (lane in ('filing', 'mail', 'follow-up', 'letters', 'pauses'))`,
      to: `check (lane in ('filing', 'mail', 'follow-up', 'letters', 'pauses', 'messages'))`,
    },
    {
      name: 'tasks_kind_check',
      from: `check (kind in ('file', 'refile', 'notify', 'receipt', 'digest', 'step', 'news', 'account',
        'resume', 'unattended', 'forward', 'strays', 'invitation', 'reset'))`,
      to: `check (kind in ('file', 'refile', 'notify', 'receipt', 'digest', 'step', 'news', 'account',
        'resume', 'unattended', 'forward', 'strays', 'invitation', 'reset', 'message'))`,
    },
  ])
}
