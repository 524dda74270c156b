/** Whether someone at the school has tried to reach the person of a lead. */
import type { Expression, ExpressionBuilder, Kysely, SqlBool } from 'kysely'
import type { TimelineKind } from '../leads/timeline.ts'
import type { Schema } from './schema.ts'

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
export async function readTried(db: Kysely<Schema>, leadId: number): Promise<boolean> {
  const row = await db
    .selectFrom('leads')
    .select('leads.id')
    .where('leads.id', '=', leadId)
    .where(wasTried)
    .executeTakeFirst()
  return row !== undefined
}
