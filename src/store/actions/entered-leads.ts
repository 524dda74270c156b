/**
 * Carries out what someone said about a lead when they entered an inquiry: who gets it, and that they have reached
 * the person.
 */
import type { Transaction } from 'kysely'
import type { Submission } from '../../leads/body/submission.ts'
import { THE_TEAM } from '../../leads/lead/timeline-details.ts'
import { lockLead } from '../leads/leads.ts'
import { addEntry } from '../leads/timeline.ts'
import type { Schema } from '../tables/schema.ts'
import { moveToStage } from './change-stage.ts'

type Joined = { id: number; opened: boolean; submission: Pick<Submission, 'form'> }

/** Changes the owner of new leads only. Changes a stage only from `new` to `contacted`. */
export async function carryOutEntered(tx: Transaction<Schema>, joined: readonly Joined[], now: number): Promise<void> {
  for (const { id, opened, submission } of joined) {
    const entered = submission.form?.entered
    if (entered === undefined) continue
    const { by: actor, owner, reached } = entered
    if (opened && owner !== undefined) {
      await tx.updateTable('leads').set({ owner }).where('id', '=', id).execute()
      await addEntry(tx, id, { at: now, kind: 'assigned', detail: owner ?? THE_TEAM, actor })
    }
    const lead = reached ? await lockLead(tx, id) : undefined
    const contacted = { stage: 'contacted', closedReason: null, from: ['new'], actor, now }
    if (lead !== undefined) await moveToStage(tx, lead, contacted)
  }
}
