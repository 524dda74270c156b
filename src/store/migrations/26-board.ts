/** The board: how long a lead has been in its stage, and the open leads of each stage in the order in which they wait. */
import { sql } from 'kysely'
import type { Migration } from './migration.ts'

export const board: Migration = async (db, ddl) => {
  // Null for leads that have not changed their stage since: then other columns say it well enough.
  await db.schema.alterTable('leads').addColumn('stage_since', ddl.bigint).execute()
  // Most leads are closed some day, so these indexes stay small.
  for (const [name, first] of [
    ['leads_board', ''],
    // The team's leads have no owner; SQLite would rather read those of everyone than look for null.
    ['leads_board_owner', `coalesce(owner, ''), `],
  ] as const)
    await sql`create index ${sql.ref(name)} on leads (${sql.raw(first)}kind, stage,
      (case when stage = 'new' then created_at
        else coalesce(stage_since, first_contact_at, created_at) end), id)
      where stage <> 'closed'`.execute(db)
}
