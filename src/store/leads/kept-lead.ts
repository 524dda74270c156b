/** Which lead has the history of one that was merged. */
import type { Kysely } from 'kysely'
import type { Lead } from '../../leads/lead/lead.ts'
import type { Schema } from '../tables/schema.ts'

/** The id of the lead that a lead was merged into, in the end; its own if it was not merged. */
export async function keptId(db: Kysely<Schema>, { id, mergedInto }: Pick<Lead, 'id' | 'mergedInto'>): Promise<number> {
  if (mergedInto === null) return id
  const row = await db.selectFrom('leads').select('merged_into').where('id', '=', mergedInto).executeTakeFirst()
  return keptId(db, { id: mergedInto, mergedInto: row?.merged_into ?? null })
}
