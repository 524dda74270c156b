/** How quickly leads were reached. */
import type { Kysely } from 'kysely'
import type { Kind } from '../../leads/body/submission.ts'
import type { Lead } from '../../leads/lead/lead.ts'
import type { Schema } from '../tables/schema.ts'

/** When someone first tried to reach a person, and when someone first did. */
type Response = { name: string } & Pick<
  Lead,
  'id' | 'phone' | 'createdAt' | 'firstAttemptAt' | 'firstContactAt' | 'stage' | 'closedReason'
>

/** How quickly leads were reached: the moments of those created since then, up to `limit` of them. */
export async function readResponses(
  db: Kysely<Schema>,
  { kind, since, limit }: { kind: Kind; since: number; limit: number },
): Promise<Response[]> {
  const rows = await db
    .selectFrom('leads')
    .select(['created_at', 'first_attempt_at', 'first_contact_at', 'stage', 'closed_reason'])
    .select(['id', 'first_name', 'last_name', 'phone'])
    .where('kind', '=', kind)
    .where('merged_into', 'is', null)
    .where('created_at', '>=', since)
    .orderBy('created_at', 'desc')
    .limit(limit)
    .execute()
  return rows.map(row => ({
    createdAt: row.created_at,
    firstAttemptAt: row.first_attempt_at,
    firstContactAt: row.first_contact_at,
    stage: row.stage,
    closedReason: row.closed_reason,
    id: row.id,
    name: `${row.first_name} ${row.last_name}`,
    phone: row.phone,
  }))
}
