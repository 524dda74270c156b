/** Corrects times that were recorded while the clock was ahead, once it is corrected. */
import { type Kysely, sql, type Transaction } from 'kysely'
import { MINUTE } from '../../platform/time.ts'
import type { Lane, Schema } from '../tables/schema.ts'
import { CLOCK_SKEW } from './clock-skew.ts'

/**
 * Keeps the intervals of tasks that were scheduled while the clock was ahead: counted from `now`, each waits as long as
 * it would have waited then, and so do destinations whose events are held back. A follow-up that began in that future
 * begins now, and steps that were concluded there count as concluded now. Safe to do twice.
 */
export async function keepIntervals(db: Kysely<Schema>, { lane, now }: { lane: Lane; now: number }): Promise<void> {
  await db.transaction().execute(async tx => {
    const inFuture = now + CLOCK_SKEW
    const scheduledAt = sql<number>`coalesce(scheduled_at, created_at)`
    const scheduledAhead = (tx: Transaction<Schema>) =>
      tx
        .selectFrom('tasks')
        .where('lane', '=', sql.lit(lane))
        .where('state', '=', sql.lit('due'))
        .where('due_at', '>', now)
        .where(scheduledAt, '>', inFuture)
    const leads = scheduledAhead(tx).select('subject').where('kind', '=', sql.lit('step'))
    await tx
      .updateTable('leads')
      .set({ follow_up_since: now })
      .where('id', 'in', leads)
      .where(sql<number>`coalesce(follow_up_since, created_at)`, '>', inFuture)
      .execute()
    await tx
      .updateTable('tasks')
      .set({ finished_at: now })
      .where('kind', '=', sql.lit('step'))
      .where('subject', 'in', leads)
      .where('finished_at', '>', inFuture)
      .execute()
    await tx
      .updateTable('tasks')
      .set({
        due_at: sql`due_at - ${scheduledAt} + ${sql.lit(now)}`,
        scheduled_at: now,
        // The time until a message is given up begins now. A message that may have been sent keeps its moment of
        // creation, which its Message-ID contains.
        created_at: sql`case when attempts = 0 and created_at > ${sql.lit(now)} then ${sql.lit(now)}
          else created_at end`,
        begun_at: sql`case
          when begun_at > ${sql.lit(now)} then ${sql.lit(now)}
          when begun_at is null and attempts > 0 and created_at > ${sql.lit(now)} and kind <> 'step'
            then ${sql.lit(now)}
          else begun_at end`,
      })
      .where('id', 'in', scheduledAhead(tx).select('id'))
      .execute()
    if (lane === 'deliveries') {
      const { numUpdatedRows } = await tx
        .updateTable('destinations')
        .set({
          retry_at: sql`retry_at - held_at + ${sql.lit(now)}`,
          asked_until: sql`asked_until - held_at + ${sql.lit(now)}`,
          held_at: now,
        })
        .where('held_at', '>', inFuture)
        .executeTakeFirst()
      // Some tasks were recorded after the clock was set back, and wait for something that was in the future: they
      // check again.
      if (numUpdatedRows > 0n)
        await tx
          .updateTable('tasks')
          .set({ due_at: now })
          .where('lane', '=', lane)
          .where('state', '=', sql.lit('due'))
          .where('due_at', '>', now + MINUTE)
          .execute()
    }
  })
}
