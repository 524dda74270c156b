/** What the console's insight counts: the facts of each lead, and how many leads have which. */
import { type Kysely, sql } from 'kysely'
import type { Ddl, Migration } from './migration.ts'

export const insight: Migration = async (db, ddl) => {
  await createFacts(db, ddl)
  await createCounts(db, ddl)

  // A row for each change of a lead that was not counted yet. Without a reference: the lead may be gone.
  await db.schema
    .createTable('changed_leads')
    .addColumn('id', ddl.bigint, ddl.identity)
    .addColumn('lead_id', ddl.bigint, c => c.notNull())
    .modifyEnd(ddl.table)
    .execute()
  await ddl.markChangedLeads(db)

  // A background pass counts the leads that there are, the newest first: those below this id are to come.
  await sql`insert into progress (name, through)
    select 'insight', max(id) + 1 from leads having max(id) is not null`.execute(db)
}

const createFacts = (db: Kysely<unknown>, ddl: Ddl) =>
  db.schema
    .createTable('lead_facts')
    .addColumn('lead_id', ddl.bigint, c => c.primaryKey().notNull())
    .addColumn('day', 'text', c => c.notNull())
    .addColumn('kind', 'text', c => c.notNull())
    .addColumn('counselor', 'text', c => c.notNull())
    .addColumn('campaign', 'text', c => c.notNull())
    .addColumn('source', 'text', c => c.notNull())
    .addColumn('state', 'text', c => c.notNull())
    .addColumn('stage', 'integer', c => c.notNull())
    .addColumn('closed', 'integer', c => c.notNull().check(sql`closed in (0, 1)`))
    .addColumn('wall_time', 'integer')
    .addColumn('working_time', 'integer')
    .modifyEnd(ddl.table)
    .execute()

const createCounts = (db: Kysely<unknown>, ddl: Ddl) =>
  db.schema
    .createTable('insight_counts')
    .addColumn('dimension', 'text', c => c.notNull())
    .addColumn('period', 'text', c => c.notNull())
    .addColumn('kind', 'text', c => c.notNull())
    .addColumn('value', 'text', c => c.notNull())
    .addColumn('leads', ddl.bigint, c => c.notNull())
    .addColumn('counts', 'text', c => c.notNull())
    .addPrimaryKeyConstraint('insight_counts_key', ['dimension', 'period', 'kind', 'value'])
    .modifyEnd(ddl.keyedTable)
    .execute()
