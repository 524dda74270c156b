/** Insight counts people who were imported or entered by hand apart from those who wrote in. */
import { sql } from 'kysely'
import type { Migration } from './migration.ts'

export const enteredLeads: Migration = async db => {
  // Null for leads that were counted before: the background pass counts them again, the newest first.
  await db.schema.alterTable('lead_facts').addColumn('entered', 'integer').execute()
  await sql`update progress set through = (select coalesce(max(id), 0) + 1 from leads)
    where name = 'insight'`.execute(db)
}
