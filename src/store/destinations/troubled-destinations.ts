/** Destinations that do not get what they should: switched off, rejecting, or failing. */
import type { Kysely } from 'kysely'
import type { RejectingDestination } from '../../leads/words/late-work.ts'
import type { LostDestination } from '../../leads/words/lost-destinations.ts'
import type { Schema } from '../tables/schema.ts'

/** The destinations that were switched off because they no longer accepted events. */
export async function listLost(db: Kysely<Schema>): Promise<LostDestination[]> {
  const rows = await db
    .selectFrom('destinations')
    .select(['id', 'name', 'off_reason'])
    .where('off_reason', 'in', ['gone', 'given up'])
    .orderBy('id')
    .execute()
  return rows.map(({ id, name, off_reason }) => ({ id, name, reason: off_reason as LostDestination['reason'] }))
}

/** The destinations that are on, and have rejected the last event that they decided about. */
export async function listRejecting(db: Kysely<Schema>): Promise<RejectingDestination[]> {
  const rows = await db
    .selectFrom('destinations')
    .select(['id', 'name', 'rejects_since'])
    .where('rejects_since', 'is not', null)
    .where('off_at', 'is', null)
    .orderBy('id')
    .execute()
  return rows.map(({ id, name, rejects_since }) => ({ id, name, since: Number(rejects_since) }))
}

/**
 * Of the destinations for which events wait, the one that has failed for the longest time: when its first attempt
 * failed, in Unix milliseconds. Null if there is none.
 */
export async function readFailingSince(db: Kysely<Schema>): Promise<number | null> {
  const { since } = await db
    .selectFrom('destinations')
    .select(eb => eb.fn.min('failing_since').as('since'))
    .where('off_at', 'is', null)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('deliveries')
          .select('deliveries.id')
          .whereRef('deliveries.destination_id', '=', 'destinations.id')
          .where('deliveries.settled_at', 'is', null),
      ),
    )
    .executeTakeFirstOrThrow()
  return since === null ? null : Number(since)
}
