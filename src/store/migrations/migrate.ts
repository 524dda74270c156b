/**
 * The schema, step by step. A step that has been released is never edited; a change is a new step.
 * The schema states the rules: what a column may hold and what may exist once.
 */
import { type Kysely, sql } from 'kysely'
import { intake } from './1-intake.ts'
import { replicas } from './2-replicas.ts'
import { followUp } from './3-follow-up.ts'
import { closingReasons } from './4-closing-reasons.ts'
import { staffActions } from './5-staff-actions.ts'
import { acknowledgedMail } from './6-acknowledged-mail.ts'
import { findingLeads } from './7-finding-leads.ts'
import { unattended } from './8-unattended.ts'
import { listedMail } from './9-listed-mail.ts'
import { operators } from './10-operators.ts'
import { quarantineOfStudents } from './11-quarantine-of-students.ts'
import { scheduledAt } from './12-scheduled-at.ts'
import { consoleLists } from './13-console-lists.ts'
import { messages } from './14-messages.ts'
import { mailboxesOfLeads } from './15-mailboxes-of-leads.ts'
import { lastArrival } from './16-last-arrival.ts'
import { clientAddresses } from './17-client-addresses.ts'
import { formDetails } from './18-form-details.ts'
import { corrections } from './19-corrections.ts'
import { languagesOfLeads } from './20-languages-of-leads.ts'
import { originsOfLeads } from './21-origins-of-leads.ts'
import { searchByBlock } from './22-search-by-block.ts'
import { insight } from './23-insight.ts'
import { weeklyReport } from './24-weekly-report.ts'
import { imports } from './25-imports.ts'
import { board } from './26-board.ts'
import { mergedLeads } from './27-merged-leads.ts'
import { editedSettings } from './28-edited-settings.ts'
import { privacy } from './29-privacy.ts'
import { notices } from './30-notices.ts'
import { handOvers } from './31-hand-overs.ts'
import { labels } from './32-labels.ts'
import { timesOfLanguages } from './33-times-of-languages.ts'
import { whoInvited } from './34-who-invited.ts'
import { references } from './35-references.ts'
import { heardOfUs } from './36-heard-of-us.ts'
import { rejectedRows } from './37-rejected-rows.ts'
import { enteredLeads } from './38-entered-leads.ts'
import type { Ddl, Migration } from './migration.ts'

const migrations: readonly Migration[] = [
  intake,
  replicas,
  followUp,
  closingReasons,
  staffActions,
  acknowledgedMail,
  findingLeads,
  unattended,
  listedMail,
  operators,
  quarantineOfStudents,
  scheduledAt,
  consoleLists,
  messages,
  mailboxesOfLeads,
  lastArrival,
  clientAddresses,
  formDetails,
  corrections,
  languagesOfLeads,
  originsOfLeads,
  searchByBlock,
  insight,
  weeklyReport,
  imports,
  board,
  mergedLeads,
  editedSettings,
  privacy,
  notices,
  handOvers,
  labels,
  timesOfLanguages,
  whoInvited,
  references,
  heardOfUs,
  rejectedRows,
  enteredLeads,
]

/** The schema version that this program makes. */
export const schemaVersion = migrations.length

/**
 * Brings the schema up to date inside one transaction, which the caller has opened so that a second
 * process waits for it. Safe to call at every start. Returns whether anything was to be done. Throws
 * when the database is newer than this program.
 */
export async function migrate(db: Kysely<unknown>, ddl: Ddl, now: number): Promise<boolean> {
  await db.schema
    .createTable('schema_versions')
    .ifNotExists()
    .addColumn('version', 'integer', c => c.primaryKey().notNull())
    .addColumn('applied_at', ddl.bigint, c => c.notNull())
    .modifyEnd(ddl.table)
    .execute()
  const versions = db as Kysely<{ schema_versions: { version: number; applied_at: number } }>
  const { done } = await versions
    .selectFrom('schema_versions')
    .select(eb => eb.fn.coalesce(eb.fn.max('version'), sql<number>`0`).as('done'))
    .executeTakeFirstOrThrow()
  if (Number(done) > migrations.length) {
    throw new Error(
      `The database has schema version ${done}; this program knows ${migrations.length}. A newer Frontdesk has used ` +
        'it: install that one again, or restore the backup from before the upgrade',
    )
  }
  for (const [index, migration] of migrations.entries()) {
    if (index < Number(done)) continue
    await migration(db, ddl)
    await versions
      .insertInto('schema_versions')
      .values({ version: index + 1, applied_at: now })
      .execute()
  }
  return Number(done) < migrations.length
}
