/** The quarantine of student inquiries, and of what a lockout or the limit of an email address keeps. */
import { sql } from 'kysely'
import type { Migration } from './migration.ts'

export const quarantineOfStudents: Migration = async (db, ddl) => {
  await ddl.widenChecks(db, 'submissions', [
    {
      name: 'submissions_answer_check',
      from: 'check (answer in (200, 400, 409))',
      to: 'check (answer in (200, 400, 409, 429))',
    },
  ])
  await ddl.widenChecks(db, 'quarantine', [
    {
      name: 'quarantine_reason_check',
      from: `check (reason in ('honeypot', 'screening'))`,
      to: `check (reason in ('honeypot', 'screening', 'lockout', 'many'))`,
    },
  ])
  // What is deleted when its time is over. On submissions, such an index would take a while to make.
  await db.schema
    .createIndex('quarantine_locked_out')
    .on('quarantine')
    .column('held_at')
    .where(sql.ref('reason'), '=', sql.lit('lockout'))
    .execute()
}
