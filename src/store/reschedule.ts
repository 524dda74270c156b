/** Queries on steps that are put off, or begin again. */
import { sql, type Transaction } from 'kysely'
import type { PlannedStep } from '../follow-up/cadence.ts'
import type { Restart } from '../follow-up/restart.ts'
import type { Schema } from './schema.ts'
import { addSteps } from './steps.ts'

/**
 * Moves the open steps of a lead to other moments, with all their tries before them. Whoever has
 * claimed one goes by the old moment: that claim ends.
 */
export async function rescheduleSteps(
  tx: Transaction<Schema>,
  leadId: number,
  steps: readonly Pick<PlannedStep, 'step' | 'dueAt'>[],
): Promise<void> {
  for (const { step, dueAt } of steps) {
    await tx
      .updateTable('tasks')
      .set({
        ...{ due_at: dueAt, note: null, attempts: 0, begun_at: null },
        ...{ lease_until: null, lease_token: null },
      })
      .where('kind', '=', 'step')
      .where('subject', '=', leadId)
      .where('step', '=', step)
      .where('state', '=', sql.lit('due'))
      .execute()
  }
}

/**
 * Begins tracks again whose steps are over. Of one that still has an open step, nothing changes, but
 * that the end of the cadence is put off.
 */
export async function restartSteps(
  tx: Transaction<Schema>,
  leadId: number,
  restarts: readonly Restart[],
  now: number,
): Promise<void> {
  for (const { steps, first } of restarts) {
    const track = tx
      .selectFrom('tasks')
      .select(['step', 'due_at'])
      .where('kind', '=', 'step')
      .where('subject', '=', leadId)
      .where('step', 'in', steps)
      .where('state', '=', sql.lit('due'))
    const open = await track.executeTakeFirst()
    if (open === undefined) {
      await deleteSteps(tx, leadId, steps)
      await addSteps(tx, leadId, [first], now)
    } else if (first.track === 'end' && open.due_at < first.dueAt) {
      await rescheduleSteps(tx, leadId, [{ step: open.step, dueAt: first.dueAt }])
    }
  }
}

async function deleteSteps(tx: Transaction<Schema>, leadId: number, steps: readonly number[]) {
  await tx
    .deleteFrom('tasks')
    .where('kind', '=', 'step')
    .where('subject', '=', leadId)
    .where('step', 'in', steps)
    .execute()
}
