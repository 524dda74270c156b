/** Queries on what someone on the staff just did, to offer its undo. */
import type { Kysely } from 'kysely'
import type { TimelineKind } from '../../leads/lead/timeline.ts'
import type { Schema } from '../tables/schema.ts'

const KINDS: TimelineKind[] = ['stage', 'assigned', 'attempt', 'labeled']

/** The latest action of `actor` on each of these leads since a moment, as ids of timeline entries that can be undone. */
export async function listRecentActions(
  db: Kysely<Schema>,
  leads: readonly number[],
  { actor, since }: { actor: string; since: number },
): Promise<number[]> {
  if (leads.length === 0) return []
  const rows = await db
    .selectFrom('timeline')
    .select(eb => eb.fn.max('id').as('id'))
    .where('lead_id', 'in', leads)
    .where('kind', 'in', KINDS)
    .where('actor', '=', actor)
    .where('at', '>=', since)
    .where('was', 'is not', null)
    .where('undone_at', 'is', null)
    .groupBy('lead_id')
    .execute()
  return rows.map(({ id }) => Number(id))
}
