/** How the contact data of a lead was corrected over time. */
import type { Kysely } from 'kysely'
import type { Correction } from '../leads/corrections.ts'
import type { Lead } from '../leads/lead.ts'
import type { Was } from '../leads/timeline.ts'
import type { Schema } from './schema.ts'

/** The changes of a lead's contact data, in order. */
export async function readCorrections(
  db: Kysely<Schema>,
  { id, correctedAt }: Pick<Lead, 'id' | 'correctedAt'>,
): Promise<Correction[]> {
  if (correctedAt === null) return []
  const rows = await db
    .selectFrom('timeline')
    .select(['at', 'kind', 'was', 'undone_at'])
    .where('lead_id', '=', id)
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
