/** How the contact data of a lead was corrected over time. */
import type { Kysely } from 'kysely'
import type { Correction } from '../../leads/lead/corrections.ts'
import type { Lead } from '../../leads/lead/lead.ts'
import type { Was } from '../../leads/lead/timeline-entries.ts'
import type { Schema } from '../tables/schema.ts'
import { keptId } from './merged-leads.ts'

/** The changes to a lead's contact data, in order, without changes to leads that were merged into it. */
export async function readCorrections(
  db: Kysely<Schema>,
  { id, correctedAt, mergedInto }: Pick<Lead, 'id' | 'correctedAt' | 'mergedInto'>,
): Promise<Correction[]> {
  if (correctedAt === null) return []
  const rows = await db
    .selectFrom('timeline')
    .select(['at', 'kind', 'was', 'undone_at'])
    .where('lead_id', '=', await keptId(db, { id, mergedInto }))
    .where('merged_from', mergedInto === null ? 'is' : '=', mergedInto === null ? null : id)
    .where('kind', 'in', ['corrected', 'undone'])
    .where('was', 'is not', null)
    .orderBy('id')
    .execute()
  return rows.map(({ at, kind, was, undone_at }) => {
    const { email, phone } = JSON.parse(was ?? '{}') as Was
    const stands = kind === 'corrected' && undone_at === null
    return { at, email, phone: stands ? phone : undefined }
  })
}
