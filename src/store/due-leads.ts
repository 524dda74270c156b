/** Queries on what is to be done today. */
import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import { type InboxRow, rowsOf } from './inbox-rows.ts'
import { asLead } from './leads.ts'
import type { Schema } from './schema.ts'

/**
 * The leads that someone may have to call until the moment `until`, those who wrote first before the
 * others: everyone whom no one has reached, and those whom someone promised to call again by then.
 * `owner`: only the leads of this counselor and those of the team.
 */
export async function listDueLeads(
  db: Kysely<Schema>,
  { owner, until, limit }: { owner?: string | undefined; until: number; limit: number },
): Promise<InboxRow[]> {
  const open = () =>
    db
      .selectFrom('leads')
      .selectAll()
      .where('stage', '<>', sql.lit('closed'))
      .$if(owner !== undefined, query =>
        query.where(eb => eb.or([eb('owner', '=', owner as string), eb('owner', 'is', null)])),
      )
      .orderBy('created_at')
      .limit(limit)
  const waiting = await open().where('stage', '=', 'new').where('paused_at', 'is', null).execute()
  const promised = await open().where('paused_until', '<=', until).execute()
  return rowsOf(db, [...promised, ...waiting].map(asLead))
}
