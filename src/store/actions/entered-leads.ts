/**
 * Carries out what someone said about a lead when they entered an inquiry: who gets it, and that they have reached
 * the person. The audit log then says who entered it.
 */
import type { Transaction } from 'kysely'
import type { Submission } from '../../leads/body/submission.ts'
import { THE_TEAM } from '../../leads/lead/timeline-details.ts'
import { lockLead } from '../leads/leads.ts'
import { addEntries } from '../leads/timeline.ts'
import { recordAudit } from '../operators/audit-log.ts'
import type { Schema } from '../tables/schema.ts'
import { moveToStage } from './change-stage.ts'

type Joined = { id: number; opened: boolean; submission: Pick<Submission, 'id' | 'form' | 'kind' | 'receivedAt'> }

/** Sets the chosen owner and stage. A lead that is not new keeps its owner; only `new` becomes `contacted`. */
export async function carryOutEntered(tx: Transaction<Schema>, joined: readonly Joined[], now: number): Promise<void> {
  const all = joined.flatMap(({ id, opened, submission: { form } }) =>
    form?.entered === undefined ? [] : { ...form.entered, id, opened },
  )
  for (const one of joined) await recordWhoEntered(tx, one)
  const given = all.filter(({ opened, owner }) => opened && owner !== undefined)
  for (const [owner = null, leads] of Map.groupBy(given, one => one.owner)) {
    const ids = leads.map(({ id }) => id)
    await tx.updateTable('leads').set({ owner }).where('id', 'in', ids).execute()
  }
  await addEntries(
    tx,
    given.map(({ id, owner, by }) => ({ leadId: id, at: now, kind: 'assigned', detail: owner ?? THE_TEAM, actor: by })),
  )
  const staged = all.filter(({ opened, stage }) => opened && stage !== undefined)
  for (const [stage = 'new', leads] of Map.groupBy(staged, one => one.stage)) {
    const ids = leads.map(({ id }) => id)
    await tx.updateTable('leads').set({ stage, stage_since: now }).where('id', 'in', ids).execute()
  }
  // The entry does not keep the former owner and stage: no one has changed these leads, and undoing the import deletes
  // them.
  await addEntries(
    tx,
    staged.map(({ id, stage = 'new', by }) => ({ leadId: id, at: now, kind: 'stage', detail: stage, actor: by })),
  )
  for (const { id, by: actor } of all.filter(({ reached }) => reached)) {
    const lead = await lockLead(tx, id)
    const contacted = { stage: 'contacted', closedReason: null, from: ['new'], actor, now }
    if (lead !== undefined) await moveToStage(tx, lead, contacted)
  }
}

/** Imported rows share one entry for the whole list. */
async function recordWhoEntered(tx: Transaction<Schema>, { id: leadId, opened, submission }: Joined): Promise<void> {
  const { operator, name } = submission.form?.entered ?? {}
  if (operator === undefined || name === undefined) return
  const stored = tx.selectFrom('submissions').select('client_address').where('id', '=', submission.id)
  await recordAudit(tx, {
    at: submission.receivedAt,
    operatorId: operator,
    actor: name,
    action: opened ? 'added' : 'added an inquiry to',
    leadId,
    detail: submission.kind,
    network: operator === null ? undefined : (await stored.executeTakeFirst())?.client_address,
  })
}
