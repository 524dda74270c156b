/** Whether someone at the school has tried to reach the person of a lead. */
import type { Expression, ExpressionBuilder, Kysely, SqlBool } from 'kysely'
import type { TimelineKind } from '../../leads/lead/timeline-entries.ts'
import type { Schema } from '../tables/schema.ts'

/** The entries of what someone can do about a lead, apart from giving it to someone else. */
const ATTEMPTS: TimelineKind[] = ['attempt', 'stage', 'note', 'copy', 'staff-mail', 'message']

/** Whether someone has tried to reach the person, or has done anything else that counts, as a condition on leads. */
export const wasTried = (eb: ExpressionBuilder<Schema, 'leads'>): Expression<SqlBool> =>
  eb.or([
    eb('leads.first_attempt_at', 'is not', null),
    eb.exists(
      eb
        .selectFrom('timeline')
        .select('timeline.id')
        .whereRef('timeline.lead_id', '=', 'leads.id')
        .where('timeline.kind', 'in', ATTEMPTS)
        .where('timeline.actor', 'is not', null)
        .where('timeline.undone_at', 'is', null)
        // What was done about a lead that is merged into this one may have answered an earlier inquiry.
        .whereRef('timeline.at', '>=', 'leads.created_at'),
    ),
  ])

/** The same for one lead. */
export const readTried = async (db: Kysely<Schema>, leadId: number): Promise<boolean> =>
  (await listTried(db, [leadId])).has(leadId)

/** Those of these leads to which it applies. */
export async function listTried(db: Kysely<Schema>, leadIds: readonly number[]): Promise<Set<number>> {
  if (leadIds.length === 0) return new Set()
  const rows = await db
    .selectFrom('leads')
    .select('leads.id')
    .where('leads.id', 'in', leadIds)
    .where(wasTried)
    .execute()
  return new Set(rows.map(({ id }) => id))
}
