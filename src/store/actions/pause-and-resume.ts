/** Pausing a follow-up, and resuming it. */
import type { Kysely, Transaction } from 'kysely'
import type { PlannedStep } from '../../follow-up/schedule.ts'
import { rescheduleSteps } from '../follow-up/steps.ts'
import type { LockedLead } from '../leads/leads.ts'
import { addEntry } from '../leads/timeline.ts'
import type { Schema } from '../tables/schema.ts'
import { type ActionContext, type Changed, changeLead } from './change-lead.ts'

/** Pauses the follow-up of a lead until it is resumed. */
export async function pauseLead(db: Kysely<Schema>, id: number, by: ActionContext): Promise<Changed> {
  const { actor, now } = by
  return changeLead(db, { id, ...by }, async (tx, lead) => {
    if (lead.paused_at !== null) return 'before'
    await tx.updateTable('leads').set({ paused_at: now, updated_at: now }).where('id', '=', lead.id).execute()
    return addEntry(tx, lead.id, { at: now, kind: 'paused', actor })
  })
}

/** How a paused follow-up continues: it counts from `since`, and its open steps are due at the times in `steps`. */
export type Resumption = { since: number; steps: readonly Pick<PlannedStep, 'step' | 'dueAt'>[] }

/** Resumes the follow-up of a lead where it was paused, as the caller has computed. */
export async function resumeLead(
  db: Kysely<Schema>,
  id: number,
  { since, steps, ...by }: Resumption & ActionContext,
): Promise<Changed> {
  const { actor, now } = by
  return changeLead(db, { id, ...by }, async (tx, lead) => {
    // A lead that was merged does not stay paused.
    if (lead.paused_at === null || lead.id !== id) return 'before'
    await resumeIn(tx, lead, { since, steps }, now)
    // Someone resumed the follow-up before these callbacks ended, so their end changes nothing.
    await tx
      .updateTable('callbacks')
      .set({ pauses: 0 })
      .where('lead_id', '=', id)
      .where('ended_at', 'is', null)
      .execute()
    return addEntry(tx, id, { at: now, kind: 'resumed', actor })
  })
}

/** Does the same for a lead that is locked; without a resumption, as if it had not been paused. */
export async function resumeIn(
  tx: Transaction<Schema>,
  { id, follow_up_since }: LockedLead,
  { since, steps }: Partial<Resumption> = {},
  now: number,
): Promise<void> {
  await tx
    .updateTable('leads')
    .set({ paused_at: null, follow_up_since: since ?? follow_up_since, updated_at: now })
    .where('id', '=', id)
    .execute()
  if (steps !== undefined) await rescheduleSteps(tx, id, steps, now)
}
