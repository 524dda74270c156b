/**
 * Which deliveries of a destination wait, and their tasks. The tasks are looked up by the ids of the deliveries: for a
 * join, SQLite would go through the tasks of all destinations to read them in order.
 */
import { type Kysely, type SelectQueryBuilder, sql, type Transaction } from 'kysely'
import type { Schema } from '../tables/schema.ts'

export const waitingDeliveries = (db: Kysely<Schema>, destination: number) =>
  db.selectFrom('deliveries').select('id').where('destination_id', '=', destination).where('settled_at', 'is', null)

/** The tasks of these deliveries that are still to be done. */
export const tasksOf = (db: Kysely<Schema>, deliveries: SelectQueryBuilder<Schema, 'deliveries', { id: number }>) =>
  db
    .selectFrom('tasks')
    .select(['id', 'due_at'])
    .where('kind', '=', sql.lit('deliver'))
    .where('subject', 'in', deliveries)
    .where('state', '=', sql.lit('due'))

/**
 * Locks a destination against other deliveries. Meanwhile, events for it can still be recorded, unless `toEnd` is set.
 * Switching a destination on or off needs `toEnd`, and so does releasing events that are held back, because recording
 * an event depends on whether its destination is on, and whether its events are held back.
 */
export const lockDestination = (tx: Transaction<Schema>, id: number, { toEnd = false } = {}) =>
  tx
    .selectFrom('destinations')
    .select(['retry_at', 'failures', 'off_at', 'rejects_since'])
    .where('id', '=', id)
    .$call(query => (toEnd ? query.forUpdate() : query.forNoKeyUpdate()))
    .executeTakeFirst()
