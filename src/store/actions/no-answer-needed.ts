/** Recording that a person who wrote does not need an answer, for example because they only said thanks. */
import type { Kysely } from 'kysely'
import { endUnanswered, stopReminders } from '../follow-up/unanswered.ts'
import { addEntry } from '../leads/timeline.ts'
import type { Schema } from '../tables/schema.ts'
import { type ActionContext, type Changed, changeLead } from './change-lead.ts'

/**
 * Records that a person no longer waits for an answer. A new lead that someone has tried to reach then gets no more
 * reminders. `before`: the person does not wait for an answer.
 */
export async function needNoAnswer(db: Kysely<Schema>, id: number, by: ActionContext): Promise<Changed> {
  const { actor, now } = by
  return changeLead(db, { id, ...by }, async (tx, lead) => {
    const was = await endUnanswered(tx, lead)
    if (was.unansweredSince === undefined) return 'before'
    if (lead.stage === 'new' && lead.first_attempt_at !== null) await stopReminders(tx, lead.id, now)
    await tx.updateTable('leads').set({ updated_at: now }).where('id', '=', lead.id).execute()
    return addEntry(tx, lead.id, { at: now, kind: 'no-answer-needed', actor, was })
  })
}
