/** The schema of 0.1.0, the first release. */
import { sql } from 'kysely'
import { followUpTables } from './39-baseline/follow-up-tables.ts'
import { insightTables } from './39-baseline/insight-tables.ts'
import { leadTables } from './39-baseline/lead-tables.ts'
import { operatorTables } from './39-baseline/operator-tables.ts'
import { privacyTables } from './39-baseline/privacy-tables.ts'
import { submissionTables } from './39-baseline/submission-tables.ts'
import type { Migration } from './migration.ts'

export const baseline: Migration = async (db, ddl) => {
  // Each after those that it refers to.
  for (const tables of [submissionTables, leadTables, followUpTables, operatorTables, insightTables, privacyTables])
    for (const statement of tables(ddl)) await sql.raw(statement).execute(db)
  await ddl.indexWords(db)
  await ddl.markChangedLeads(db)
}
