/** Tells destinations that a message to a person was given up. */
import type { Transaction } from 'kysely'
import { recordEvents } from '../events/record-events.ts'
import type { Schema } from '../tables/schema.ts'
import { isToPerson } from '../tables/task-kinds.ts'
import type { Task } from '../tasks/tasks.ts'
import { countEntries } from './timeline.ts'

/**
 * Records `message.failed` for a lead if a message to its person was given up. If the address does not exist, an entry
 * of the timeline says so, and that entry is the event.
 */
export async function recordFailedMail(
  tx: Transaction<Schema>,
  leadId: number,
  task: Pick<Task, 'kind' | 'lane' | 'begun_at' | 'created_at'>,
  now: number,
): Promise<void> {
  if (!isToPerson(task)) return
  const since = (task.begun_at ?? task.created_at) - 1
  if ((await countEntries(tx, leadId, { kind: 'bounce', since })) > 0) return
  await recordEvents(tx, [{ type: 'message.failed', leadId, at: now, facts: {} }])
}
