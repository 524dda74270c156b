/** Skipping a step of a follow-up; and undoing that, or a note, a tag, a program, a callback, or "no answer needed". */
import { type Kysely, sql } from 'kysely'
import type { PlannedStep } from '../../follow-up/schedule.ts'
import { UNDO_TIME } from '../../leads/lead/undo-window.ts'
import { addSteps } from '../follow-up/steps.ts'
import { resumeUnanswered } from '../follow-up/unanswered.ts'
import { addEntry, readEntry } from '../leads/timeline.ts'
import type { Schema } from '../tables/schema.ts'
import { BEGINS_AGAIN, hasNoClaim } from '../tasks/tasks.ts'
import { type EndedByHand, reopenCallbacks, undoPlan } from './callbacks.ts'
import { type ActionContext, type Changed, changeLead } from './change-lead.ts'
import { takeBackLabel } from './lead-labels.ts'

/** Skips the open step of a track and opens the next. `before`: it is not open, or is being carried out right now. */
export async function skipStep(
  db: Kysely<Schema>,
  leadId: number,
  { step, name, next, ...by }: Skip & ActionContext,
): Promise<Changed> {
  const { actor, now } = by
  return changeLead(db, { id: leadId, ...by }, async (tx, lead) => {
    if (lead.id !== leadId) return 'before'
    const { numUpdatedRows } = await tx
      .updateTable('tasks')
      .set({ state: 'skipped', note: SKIPPED, finished_at: now })
      .where('kind', '=', sql.lit('step'))
      .where('subject', '=', leadId)
      .where('step', '=', step)
      .where('state', '=', sql.lit('due'))
      .where(hasNoClaim(now))
      .executeTakeFirst()
    if (numUpdatedRows === 0n) return 'before'
    if (next !== undefined) await addSteps(tx, leadId, [next], now)
    const was = { step, next: next?.step ?? null }
    return addEntry(tx, leadId, { at: now, kind: 'skipped', detail: name, actor, was })
  })
}

export type Skip = {
  /** The index of the step, and its name for the timeline. */
  step: number
  name: string
  /** The step after it on its track. */
  next: PlannedStep | undefined
}

const SKIPPED = 'skipped by hand'

/**
 * Undoes a note, a label, a skipped step, a callback, or "no answer needed", within `UNDO_TIME`. A skipped step is then
 * due at its original time, unless the step after it has begun. `before`: it is too late, or it was already undone.
 */
export async function takeBack(
  db: Kysely<Schema>,
  entryId: number,
  { resumption, audit, now }: Pick<EndedByHand, 'resumption'> & Omit<ActionContext, 'actor'>,
): Promise<Changed> {
  const known = await readEntry(db, entryId)
  if (known === undefined) return { outcome: 'gone' }
  return changeLead(db, { id: known.leadId, audit }, async (tx, lead) => {
    const entry = await readEntry(tx, entryId)
    if (entry === undefined || entry.undoneAt !== null || now - entry.at > UNDO_TIME) return 'before'
    if (entry.kind === 'skipped') {
      const { step = -1, next = null } = entry.was ?? {}
      const steps = tx
        .selectFrom('tasks')
        .select('id')
        .where('kind', '=', sql.lit('step'))
        .where('subject', '=', entry.leadId)
      if (next !== null) {
        const waiting = await steps
          .where('step', '=', next)
          .where('state', '=', sql.lit('due'))
          .where('begun_at', 'is', null)
          .where(hasNoClaim(now))
          .executeTakeFirst()
        if (waiting === undefined) return 'before'
        await tx.deleteFrom('tasks').where('id', '=', waiting.id).execute()
      }
      const skipped = await steps.where('step', '=', step).where('note', '=', SKIPPED).executeTakeFirst()
      if (skipped === undefined) return 'before'
      await tx.updateTable('tasks').set(BEGINS_AGAIN).where('id', '=', skipped.id).execute()
    } else if (entry.kind === 'labeled' || entry.kind === 'unlabeled') {
      if (!(await takeBackLabel(tx, entry))) return 'before'
    } else if (entry.kind === 'callback') {
      const { callback = 0, movedFrom } = entry.was ?? {}
      if (!(await undoPlan(tx, lead, { callback, movedFrom, entry: entryId, resumption, now }))) return 'before'
    } else if (entry.kind === 'callback-ended') {
      await reopenCallbacks(tx, lead.id, entry.was?.callbacks ?? [], now)
    } else if (entry.kind === 'no-answer-needed') {
      await resumeUnanswered(tx, lead, entry.was?.unansweredSince ?? entry.at, entry)
    } else if (entry.kind !== 'note') return 'before'
    await tx.updateTable('timeline').set({ undone_at: now }).where('id', '=', entryId).execute()
    return undefined
  })
}
