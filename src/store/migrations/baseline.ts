/** The schema of 0.1.0, the first release. */
import { sql } from 'kysely'
import { destinationTables } from './baseline/destination-tables.ts'
import { followUpTables } from './baseline/follow-up-tables.ts'
import { insightTables } from './baseline/insight-tables.ts'
import { leadTables } from './baseline/lead-tables.ts'
import { nightlyTables } from './baseline/nightly-tables.ts'
import { operatorTables } from './baseline/operator-tables.ts'
import { privacyTables } from './baseline/privacy-tables.ts'
import { sourceTables } from './baseline/source-tables.ts'
import { submissionTables } from './baseline/submission-tables.ts'
import type { Migration } from './migration.ts'

/** Each table comes after those that it refers to. */
const everyTable = [
  submissionTables,
  leadTables,
  followUpTables,
  operatorTables,
  insightTables,
  privacyTables,
  destinationTables,
  sourceTables,
  nightlyTables,
]

export const baseline: Migration = async (db, ddl) => {
  for (const tables of everyTable) for (const statement of tables(ddl)) await sql.raw(statement).execute(db)
  await ddl.indexWords(db)
  await ddl.markChangedLeads(db)
}
