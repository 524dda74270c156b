/**
 * Holding back what waits for a destination that does not respond, with one statement: tasks that are claimed only to be
 * postponed would take the time and the slots of others.
 */
import { type Kysely, sql, type Transaction } from 'kysely'
import { HELD, PROBED_FOR } from '../events/record-events.ts'
import type { Schema } from '../tables/schema.ts'
import { hasNoClaim } from '../tasks/tasks.ts'

/** Has nothing sent to a destination until a moment, because what is under way takes long. */
export async function holdDestination(
  db: Kysely<Schema>,
  id: number,
  { now, until }: { now: number; until: number },
): Promise<void> {
  await db.transaction().execute(async tx => {
    const { numUpdatedRows } = await tx
      .updateTable('destinations')
      .set({ retry_at: until })
      .where('id', '=', id)
      .where(eb => eb.or([eb('retry_at', 'is', null), eb('retry_at', '<=', now)]))
      .executeTakeFirst()
    if (numUpdatedRows > 0n) await holdBack(tx, id, { now, until })
  })
}

/** Ends that: what was under way has come to its end. */
export async function releaseDestination(db: Kysely<Schema>, id: number): Promise<void> {
  await db.transaction().execute(async tx => {
    const { numUpdatedRows } = await tx
      .updateTable('destinations')
      .set({ retry_at: null })
      .where('id', '=', id)
      .where('failures', '=', 0)
      .executeTakeFirst()
    if (numUpdatedRows > 0n) await letGo(tx, id)
  })
}

/** After a failure: one event is tried at `until`, and the others wait to see what comes of it. */
export async function holdAllButOne(
  tx: Transaction<Schema>,
  id: number,
  { now, until }: { now: number; until: number },
): Promise<void> {
  await holdBack(tx, id, { now, until: until + PROBED_FOR })
  const first = await waitingTasks(tx, id)
    .where('note', '=', HELD)
    .where(eb =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('deliveries as earlier')
            .select('earlier.id')
            .whereRef('earlier.destination_id', '=', 'deliveries.destination_id')
            .whereRef('earlier.lead_id', '=', 'deliveries.lead_id')
            .whereRef('earlier.id', '<', 'deliveries.id')
            .where('earlier.settled_at', 'is', null),
        ),
      ),
    )
    .orderBy('deliveries.id')
    .limit(1)
    .executeTakeFirst()
  if (first !== undefined) await tx.updateTable('tasks').set({ due_at: until }).where('id', '=', first.id).execute()
}

async function holdBack(
  tx: Transaction<Schema>,
  id: number,
  { now, until }: { now: number; until: number },
): Promise<void> {
  const early = inOrder(tx, id)
    .where('due_at', '<', until)
    // One that has failed keeps to its own time.
    .where(eb => eb.or([eb('attempts', '=', 0), eb('note', '=', HELD)]))
    .where(hasNoClaim(now))
  await tx.updateTable('tasks').set({ due_at: until, note: HELD }).where('id', 'in', early).execute()
}

/** What was held back is due at once. */
export async function letGo(tx: Transaction<Schema>, id: number): Promise<void> {
  await tx
    .updateTable('tasks')
    .set({ due_at: 0, note: null })
    .where('id', 'in', inOrder(tx, id).where('note', '=', HELD))
    .execute()
}

/** The tasks that wait, locked in one order: statements that each change several must not wait for one another. */
const inOrder = (tx: Transaction<Schema>, id: number) =>
  tx.selectFrom('tasks').select('id').where('id', 'in', waitingTasks(tx, id)).orderBy('id').forUpdate()

const waitingTasks = (db: Kysely<Schema>, id: number) =>
  db
    .selectFrom('deliveries')
    .innerJoin('tasks', join => join.on('kind', '=', sql.lit('deliver')).onRef('subject', '=', 'deliveries.id'))
    .select('tasks.id')
    .where('destination_id', '=', id)
    .where('settled_at', 'is', null)
    .where('state', '=', sql.lit('due'))
