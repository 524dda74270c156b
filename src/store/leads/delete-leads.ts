/** Deleting leads: when a person is erased, and when an import is undone. */
import type { Transaction } from 'kysely'
import { recordErased } from '../events/record-events.ts'
import type { Schema } from '../tables/schema.ts'
import { kindsAbout, type TaskKind } from '../tables/task-kinds.ts'
import { NO_LEASE, subjectsByKind } from '../tasks/tasks.ts'

/** Deletes leads with their timelines and planned tasks, and notifies destinations. Their submissions stay. */
export async function deleteLeads(
  tx: Transaction<Schema>,
  ids: readonly number[],
  { note, now }: { note: string; now: number },
): Promise<void> {
  if (ids.length === 0) return
  const planned = ids.flatMap(subject => kindsAbout('lead').map(kind => ({ kind, subject })))
  await skipTasks(tx, planned, { note, now })
  await recordErased(tx, ids, now)
  await tx.deleteFrom('timeline').where('lead_id', 'in', ids).execute()
  await tx.deleteFrom('leads').where('id', 'in', ids).execute()
}

/** Skips tasks, even those that a worker has claimed: when it concludes them, nothing changes. */
export async function skipTasks(
  tx: Transaction<Schema>,
  tasks: readonly { kind: TaskKind; subject: number }[],
  { note, now }: { note: string; now: number },
): Promise<void> {
  for (const [kind, subjects] of subjectsByKind(tasks)) {
    await tx
      .updateTable('tasks')
      .set({ state: 'skipped', note, finished_at: now, ...NO_LEASE })
      .where('kind', '=', kind)
      .where('subject', 'in', subjects)
      .where('state', 'in', ['due', 'dead'])
      .execute()
  }
}
