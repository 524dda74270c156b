/** Changing the stage of a lead. */
import type { Kysely, Transaction } from 'kysely'
import type { Restart } from '../../follow-up/schedule.ts'
import type { Lead } from '../../leads/lead/lead.ts'
import { type ClosedReason, endedByItself } from '../../leads/lead/stages.ts'
import { restartSteps } from '../follow-up/steps.ts'
import { endUnanswered } from '../follow-up/unanswered.ts'
import { findLead, findOpenLead, type LockedLead } from '../leads/leads.ts'
import { keyOf } from '../leads/merged-leads.ts'
import { addEntry } from '../leads/timeline.ts'
import type { Schema } from '../tables/schema.ts'
import { endCallbacks } from './callbacks.ts'
import { type ActionContext, type Changed, changeLead } from './change-lead.ts'

/** `duplicate`: the person has another open lead of that kind, so this one stays closed. */
export type StageChanged = Changed | { outcome: 'duplicate'; lead: Lead }

export type StageChange = {
  stage: string
  closedReason: ClosedReason | null
  /** Changes the stage only if it is one of these; a lead that was closed automatically counts as new. */
  from?: readonly string[] | undefined
  /** The reminders and the end of the cadence, which restart if the lead becomes new again. */
  restarts?: readonly Restart[] | undefined
  /** Whether a person who wrote again keeps waiting, since no one at the school has acted to change the stage. */
  keepsUnanswered?: boolean | undefined
  /** The ids of the callbacks that ended with the change. */
  callbacks?: readonly number[] | undefined
}

/**
 * Changes the stage of a lead, and records when the person was first reached. Someone who was reached, or whose lead is
 * closed, no longer waits for an answer. A lead in none of the stages `from` counts as already changed. Throws if the
 * kind does not have this stage.
 */
export const changeStage = (
  db: Kysely<Schema>,
  id: number,
  change: StageChange & ActionContext,
): Promise<StageChanged> =>
  orDuplicate(db, id, () => changeLead(db, { id, ...change }, (tx, lead) => moveToStage(tx, lead, change)))

/** Carries out a change that may open a closed lead. */
export async function orDuplicate(
  db: Kysely<Schema>,
  id: number,
  change: () => Promise<Changed>,
): Promise<StageChanged> {
  try {
    return await change()
  } catch (error) {
    // The database rejects a second open lead, even one that is opened at the same moment, which a query before the
    // change would not find.
    const lead = await findLead(db, id)
    if (lead?.stage === 'closed' && (await hasAnotherOpenLead(db, lead))) return { outcome: 'duplicate', lead }
    throw error
  }
}

async function hasAnotherOpenLead(db: Kysely<Schema>, lead: Lead): Promise<boolean> {
  const other = await findOpenLead(db, { person_key: keyOf(lead), kind: lead.kind })
  return other !== undefined && other !== lead.id
}

/** Does the same for a lead that is locked; returns the id of the entry that says so. */
export async function moveToStage(
  tx: Transaction<Schema>,
  lead: LockedLead,
  {
    stage,
    closedReason,
    from,
    restarts = [],
    keepsUnanswered = false,
    actor,
    now,
    ...change
  }: StageChange & ActionContext,
): Promise<number | 'before'> {
  if (lead.stage === stage && lead.closed_reason === closedReason) return 'before'
  const before = endedByItself(lead.closed_reason) ? 'new' : lead.stage
  if (from !== undefined && !from.includes(before)) return 'before'
  const contact = stage === 'new' || stage === 'closed' ? null : now
  await tx
    .updateTable('leads')
    .set({
      stage,
      closed_reason: closedReason,
      stage_since: now,
      // If a lead is new again, the person counts as not reached.
      first_contact_at: stage === 'new' ? null : (lead.first_contact_at ?? contact),
      first_attempt_at: lead.first_attempt_at ?? contact,
      updated_at: now,
    })
    .where('id', '=', lead.id)
    .execute()
  const callbacks = [
    ...(change.callbacks ?? []),
    ...(stage === 'closed' ? await endCallbacks(tx, lead, () => true, { now }) : []),
  ]
  const isAnswered = stage === 'closed' || (before === 'new' && stage !== 'new' && !keepsUnanswered)
  const detail = closedReason === null ? stage : `${stage}: ${closedReason}`
  const was = {
    stage: lead.stage,
    closedReason: lead.closed_reason,
    stageSince: lead.stage_since,
    firstAttemptAt: lead.first_attempt_at,
    firstContactAt: lead.first_contact_at,
    ...(callbacks.length > 0 && { callbacks }),
    ...(isAnswered && (await endUnanswered(tx, lead))),
  }
  const entry = await addEntry(tx, lead.id, { at: now, kind: 'stage', detail, actor, was })
  await restartSteps(tx, lead.id, restarts, now)
  return entry
}
