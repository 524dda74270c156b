/** Marking leads that change, on SQLite. */
import { type Kysely, sql } from 'kysely'

/** Creates the triggers that add a row to `changed_leads` with each change of a lead. */
export async function markChangedLeads(db: Kysely<unknown>): Promise<void> {
  for (const [event, row] of [
    ['insert', 'new'],
    ['update', 'new'],
    ['delete', 'old'],
  ]) {
    const text = `create trigger leads_marked_on_${event} after ${event} on leads begin
      insert into changed_leads (lead_id) values (${row}.id); end`
    await sql.raw(text).execute(db)
  }
}
