/** Recording the outcome of a call to a person. */
import type { Kysely, Transaction } from 'kysely'
import { type CallOutcome, callDetail } from '../../leads/lead/call-outcomes.ts'
import { MINUTE } from '../../platform/time.ts'
import { endUnanswered } from '../follow-up/unanswered.ts'
import { type LockedLead, lockExactLead } from '../leads/leads.ts'
import { addEntry, countEntries, pressedTwice } from '../leads/timeline.ts'
import type { Schema } from '../tables/schema.ts'
import { type CallbackPlan, type EndedByHand, endCallbacks, planIn } from './callbacks.ts'
import { type ActionContext, changeLead } from './change-lead.ts'
import { moveToStage, orDuplicate, type StageChanged } from './change-stage.ts'

/** In milliseconds: a button pressed twice within this time is one call. */
const SAME_CALL = 5 * MINUTE

/** A call at most this many milliseconds before a planned callback counts as that callback. */
const EARLY = 30 * MINUTE

type Call = {
  outcome: CallOutcome
  note: string
  /** When they asked to be called again. */
  callback?: CallbackPlan | undefined
} & Pick<EndedByHand, 'resumption'>

/**
 * Records the outcome of a call, with a note, which may be empty. If the person was reached, a new lead changes its
 * stage. No other outcome counts as contact, or answers someone who wrote. The call ends the callbacks that are due.
 */
export const recordCall = (db: Kysely<Schema>, id: number, call: Call & ActionContext): Promise<StageChanged> =>
  orDuplicate(db, id, () => changeLead(db, { id, ...call }, (tx, lead) => record(tx, lead, call)))

async function record(
  tx: Transaction<Schema>,
  lead: LockedLead,
  { outcome, note, callback, resumption, ...by }: Call & ActionContext,
): Promise<number | 'before'> {
  const { actor, now } = by
  const callbacks = await endCallbacks(tx, lead, ({ dueAt }) => dueAt <= now + EARLY, { resumption, now })
  if (outcome === 'reached') {
    const contacted = { stage: 'contacted', closedReason: null, from: ['new'], callbacks, ...by }
    const stage = await moveToStage(tx, lead, contacted)
    if (stage !== 'before') {
      if (note !== '') await addEntry(tx, lead.id, { at: now, kind: 'note', detail: note, actor })
      return stage
    }
  }
  const detail = callDetail(outcome, note)
  const times = pressedTwice(now, SAME_CALL)
  const answered = outcome === 'reached' ? await endUnanswered(tx, lead) : {}
  const again = callbacks.length === 0 && answered.unansweredSince === undefined
  if (again && (await countEntries(tx, lead.id, { kind: 'attempt', actor, detail, ...times })) > 0) return 'before'
  const alreadyReached = { kind: 'stage', detail: 'contacted', ...times } as const
  if (again && detail === 'reached' && (await countEntries(tx, lead.id, alreadyReached)) > 0) return 'before'
  await tx
    .updateTable('leads')
    .set({
      first_attempt_at: lead.first_attempt_at ?? now,
      ...(outcome === 'wrong number' && { wrong_phone: lead.phone }),
      updated_at: now,
    })
    .where('id', '=', lead.id)
    .execute()
  const planned = callback && (await planIn(tx, (await lockExactLead(tx, lead.id)) ?? lead, { ...callback, ...by }))
  const was = {
    firstAttemptAt: lead.first_attempt_at,
    wrongPhone: lead.wrong_phone,
    ...(callbacks.length > 0 && { callbacks }),
    ...answered,
    ...(planned && planned !== 'before' && { callback: planned.callback }),
  }
  return addEntry(tx, lead.id, { at: now, kind: 'attempt', detail, actor, was })
}
