/** Queries on who has leads. */
import { type Kysely, sql } from 'kysely'
import type { Schema } from '../tables/schema.ts'

/** The ids of the counselors, or of the manager, who have open leads, with how many, over up to 10,000 of the newest leads. */
export async function listOwners(db: Kysely<Schema>): Promise<{ owner: string; leads: number }[]> {
  const newest = db
    .selectFrom('leads')
    .select(['owner', 'stage'])
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(10_000)
  const rows = await db
    .selectFrom(newest.as('l'))
    .select(eb => ['owner', eb.fn.countAll<number>().as('leads')])
    .where('owner', 'is not', null)
    .where('stage', '!=', sql.lit('closed'))
    .groupBy('owner')
    .orderBy('owner')
    .execute()
  return rows.map(({ owner, leads }) => ({ owner: owner as string, leads: Number(leads) }))
}
