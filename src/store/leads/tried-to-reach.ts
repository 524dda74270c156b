/** Whether someone at the school has tried to reach the person of a lead. */
import type { Expression, ExpressionBuilder, Kysely, SqlBool } from 'kysely'
import type { TimelineKind } from '../../leads/lead/timeline-entries.ts'
import type { Schema } from '../tables/schema.ts'

/**
 * The kinds of entries that count as trying to reach a person. A note does not: someone who wrote down what a person
 * asked for has not called them.
 */
const ATTEMPTS: TimelineKind[] = ['attempt', 'stage', 'copy', 'staff-mail', 'message']

/** Whether someone has tried to reach the person, or done anything else that counts: a condition on leads. */
export const wasTried = (eb: ExpressionBuilder<Schema, 'leads'>): Expression<SqlBool> =>
  eb.or([
    eb('leads.first_attempt_at', 'is not', null),
    eb.exists(
      eb.selectFrom('timeline').select('timeline.id').whereRef('timeline.lead_id', '=', 'leads.id').where(isTry),
    ),
  ])

/** The same for one lead. */
export const readTried = async (db: Kysely<Schema>, leadId: number): Promise<boolean> =>
  (await listTried(db, [leadId])).has(leadId)

/** Which of these leads someone has tried to reach. */
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

/** When someone last called or wrote to the people of these leads, by lead id. Nothing before the lead counts. */
export async function readLastTried(db: Kysely<Schema>, leadIds: readonly number[]): Promise<Map<number, number>> {
  if (leadIds.length === 0) return new Map()
  const rows = await db
    .selectFrom('leads')
    .innerJoin('timeline', 'timeline.lead_id', 'leads.id')
    .select(eb => ['leads.id', eb.fn.max('timeline.at').as('at')])
    .where('leads.id', 'in', leadIds)
    .where(isTry)
    // Moving a lead to another stage does not reach anyone.
    .where('timeline.kind', '<>', 'stage')
    .groupBy('leads.id')
    .execute()
  return new Map(rows.map(({ id, at }) => [id, Number(at)]))
}

/** Whether an entry of a lead counts as trying: a condition on both. */
const isTry = (eb: ExpressionBuilder<Schema, 'leads' | 'timeline'>): Expression<SqlBool> =>
  eb.and([
    eb('timeline.kind', 'in', ATTEMPTS),
    eb('timeline.actor', 'is not', null),
    eb('timeline.undone_at', 'is', null),
    // Something that was done for a lead that is now merged into this one may have answered an earlier inquiry.
    eb('timeline.at', '>=', eb.ref('leads.created_at')),
  ])
