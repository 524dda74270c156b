/** Pausing a follow-up: without an end, or until a moment at which someone wants to call again. */
import { type Kysely, sql, type Transaction } from 'kysely'
import type { PlannedStep } from '../../follow-up/schedule.ts'
import { rescheduleSteps } from '../follow-up/steps.ts'
import { addEntry } from '../leads/timeline.ts'
import { addMail } from '../outbox/outbox.ts'
import type { Schema } from '../tables/schema.ts'
import { BEGINS_AGAIN, NO_LEASE } from '../tasks/tasks.ts'
import { type ActionContext, type Changed, changeLead } from './change-lead.ts'

/** When a pause ends by itself, and that moment in words for the timeline. */
export type PauseEnd = { until: number; words: string }

/**
 * Pauses the follow-up of a lead: with an end, until then; without, until it is resumed. A pause can get
 * another end. The end is a task, so it comes, whatever happens to this process.
 */
export async function pauseLead(
  db: Kysely<Schema>,
  id: number,
  { end, ...by }: { end?: PauseEnd | undefined } & ActionContext,
): Promise<Changed> {
  const { actor, now } = by
  return changeLead(db, { id, ...by }, async (tx, lead) => {
    const until = end?.until ?? null
    if (lead.paused_at !== null && (until === null || lead.paused_until === until)) return 'before'
    await tx
      .updateTable('leads')
      .set({ paused_at: lead.paused_at ?? now, paused_until: until, updated_at: now })
      .where('id', '=', lead.id)
      .execute()
    if (until !== null) await endPauseAt(tx, lead.id, until, now)
    return addEntry(tx, lead.id, { at: now, kind: 'paused', detail: end?.words ?? '', actor })
  })
}

/** Schedules the end of a pause, or gives it another moment. */
export async function endPauseAt(tx: Transaction<Schema>, id: number, dueAt: number, now: number): Promise<void> {
  const values = { ...BEGINS_AGAIN, due_at: dueAt, scheduled_at: now, created_at: now }
  await tx
    .insertInto('tasks')
    .values({ lane: 'pauses', kind: 'resume', subject: id, through: null, ...values })
    .onConflict(oc => oc.columns(['kind', 'subject', 'step']).doUpdateSet(values))
    .execute()
}

/**
 * Resumes the follow-up of a lead where it was paused: from now on it counts from `since`, and its
 * open steps are due at the given moments, which the caller has computed from there. `tell`: the pause
 * has ended by itself, and the counselor gets an email, unless the lead is closed.
 */
export async function resumeLead(
  db: Kysely<Schema>,
  id: number,
  {
    since,
    steps,
    tell = false,
    ...by
  }: { since: number; steps: readonly Pick<PlannedStep, 'step' | 'dueAt'>[]; tell?: boolean } & ActionContext,
): Promise<Changed> {
  const { actor, now } = by
  return changeLead(db, { id, ...by }, async (tx, lead) => {
    // The pause of a lead that was merged is over.
    if (lead.paused_at === null || lead.id !== id) return 'before'
    await tx
      .updateTable('leads')
      .set({ paused_at: null, paused_until: null, follow_up_since: since, updated_at: now })
      .where('id', '=', id)
      .execute()
    await rescheduleSteps(tx, id, steps, now)
    await tx
      .updateTable('tasks')
      .set({ state: 'done', finished_at: now, ...NO_LEASE })
      .where('kind', '=', 'resume')
      .where('subject', '=', id)
      .where('state', '=', sql.lit('due'))
      .execute()
    const entry = await addEntry(tx, id, { at: now, kind: 'resumed', actor })
    if (tell && lead.stage !== 'closed') await addMail(tx, 'news', entry, { now })
    return entry
  })
}
