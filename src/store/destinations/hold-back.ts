/**
 * Holding back the events that wait for a destination that does not respond. One statement does it, since claiming
 * tasks only to postpone them would cost other tasks their time and their slots.
 */
import type { Kysely, Transaction } from 'kysely'
import { MINUTE } from '../../platform/time.ts'
import { HELD, PROBED_FOR } from '../events/record-events.ts'
import type { Schema } from '../tables/schema.ts'
import { hasNoClaim } from '../tasks/tasks.ts'
import { lockDestination, tasksOf, waitingDeliveries } from './waiting-deliveries.ts'

/** How much longer events that are held back wait if nothing releases them, in milliseconds. */
const HELD_LONGER = 10 * MINUTE

/**
 * Holds back everything for a destination until a given time, because a request under way takes long, or will show
 * whether it responds again. Returns false, and changes nothing, if everything is already held back.
 */
export async function holdDestination(
  db: Kysely<Schema>,
  id: number,
  { now, until }: { now: number; until: number },
): Promise<boolean> {
  return db.transaction().execute(async tx => {
    const { numUpdatedRows } = await tx
      .updateTable('destinations')
      .set({ retry_at: until, held_at: now })
      .where('id', '=', id)
      .where(eb => eb.or([eb('retry_at', 'is', null), eb('retry_at', '<=', now)]))
      .executeTakeFirst()
    if (numUpdatedRows > 0n) await holdBack(tx, id, { now, until })
    return numUpdatedRows > 0n
  })
}

/** Ends this, since the request that was under way has ended. */
export async function releaseDestination(db: Kysely<Schema>, id: number, now: number): Promise<void> {
  await db.transaction().execute(async tx => {
    await lockDestination(tx, id, { toEnd: true })
    const { numUpdatedRows } = await tx
      .updateTable('destinations')
      .set({ retry_at: null })
      .where('id', '=', id)
      .where('failures', '=', 0)
      .where(eb => eb.or([eb('asked_until', 'is', null), eb('asked_until', '<=', now)]))
      .executeTakeFirst()
    if (numUpdatedRows > 0n) await letGo(tx, id)
  })
}

/** After a failure: one event is tried at `until`, and the others wait for its outcome. */
export async function holdAllButOne(
  tx: Transaction<Schema>,
  id: number,
  { now, until }: { now: number; until: number },
): Promise<void> {
  await holdBack(tx, id, { now, until: until + PROBED_FOR })
  const firstOfLeads = waitingDeliveries(tx, id)
    .clearSelect()
    .select(eb => eb.fn.min<number>('id').as('id'))
    .groupBy('lead_id')
  const first = await tasksOf(tx, firstOfLeads).where('note', '=', HELD).orderBy('subject').limit(1).executeTakeFirst()
  if (first !== undefined) await tx.updateTable('tasks').set({ due_at: until }).where('id', '=', first.id).execute()
}

/** Leaves out tasks that wait at least until then anyway. Otherwise, each failure would move all of them again. */
async function holdBack(
  tx: Transaction<Schema>,
  id: number,
  { now, until }: { now: number; until: number },
): Promise<void> {
  const early = inOrder(tx, id)
    .where('due_at', '<', until)
    // A delivery that has failed keeps the time of its next attempt.
    .where(eb => eb.or([eb('attempts', '=', 0), eb('note', '=', HELD)]))
    .where(hasNoClaim(now))
  await tx
    .updateTable('tasks')
    .set({ due_at: until + HELD_LONGER, scheduled_at: now, note: HELD })
    .where('id', 'in', early)
    .execute()
}

/** Makes the events that were held back due immediately. */
export async function letGo(tx: Transaction<Schema>, id: number): Promise<void> {
  await tx
    .updateTable('tasks')
    .set({ due_at: 0, note: null })
    .where('id', 'in', inOrder(tx, id).where('note', '=', HELD))
    .execute()
}

/** The waiting tasks, always locked in the same order, so that statements that change several do not deadlock. */
const inOrder = (tx: Transaction<Schema>, id: number) =>
  tasksOf(tx, waitingDeliveries(tx, id)).clearSelect().select('id').orderBy('id').forUpdate()
