/**
 * Handing over all leads of one person in portions: each is a transaction of its own, and says how far it came,
 * so that any process continues after one that died. Undoing goes the same way back.
 */
import type { Kysely, Transaction } from 'kysely'
import type { Restart } from '../follow-up/schedule.ts'
import type { Lead } from '../leads/lead.ts'
import { THE_TEAM } from '../leads/timeline-details.ts'
import { asHandOver, type HandOverRecipient, type LeadsHandOver } from './hand-overs.ts'
import { asLead, lockLead } from './leads.ts'
import { addMails } from './outbox.ts'
import type { Schema } from './schema.ts'
import { beginTrackAgain } from './steps.ts'
import { addEntry } from './timeline.ts'

/** The next leads of a hand-over under way. Empty: there are no more. */
export async function readHandOverPortion(
  db: Kysely<Schema>,
  { id, from, state }: Pick<LeadsHandOver, 'id' | 'from' | 'state'>,
  limit: number,
): Promise<Lead[]> {
  const query =
    state === 'running'
      ? db
          .selectFrom('leads')
          .selectAll('leads')
          .where('owner', '=', from)
          .where('stage', '<>', 'closed')
      : db
          .selectFrom('leads')
          .innerJoin('hand_over_leads as h', 'h.lead_id', 'leads.id')
          .selectAll('leads')
          .where('h.hand_over_id', '=', id)
          .where('h.restored', 'is', null)
  const rows = await query.orderBy('leads.id').limit(limit).execute()
  return rows.map(asLead)
}

export type HandOverMove = {
  leadId: number
  owner: string | null
  /** The reminders, which begin again for the new owner while no one has reached the person. */
  restart: Restart | undefined
}

type Portion = {
  /** The hand-over as it was when the portion was read. */
  version: number
  moves: readonly HandOverMove[]
  turns: Record<string, number>
  now: number
}

/** Moves the leads of a portion. Returns false, and moves nothing, if the hand-over has gone on since. */
export async function handOverPortion(
  db: Kysely<Schema>,
  id: number,
  { version, moves, turns, now }: Portion,
): Promise<boolean> {
  return db.transaction().execute(async tx => {
    const claimed = await claimPortion(tx, id, version)
    if (claimed === undefined) return false
    const { from, fromName, at, actor } = claimed
    for (const { leadId, owner, restart } of moves) {
      const lead = await lockLead(tx, leadId)
      // One that was merged meanwhile goes with the lead that is kept.
      if (lead?.id !== leadId || lead.owner !== from || lead.stage === 'closed') continue
      await setOwner(tx, leadId, { owner, now })
      const entry = await addEntry(tx, leadId, {
        ...{ at, kind: 'assigned', actor, was: { owner: from } },
        detail: `${owner ?? THE_TEAM}: all leads of ${fromName} were handed over`,
      })
      if (restart && lead.stage === 'new') await beginTrackAgain(tx, leadId, restart, now)
      await tx
        .insertInto('hand_over_leads')
        .values({ hand_over_id: id, lead_id: leadId, owner, entry_id: entry, restored: null })
        .onConflict(oc =>
          oc.columns(['hand_over_id', 'lead_id']).doUpdateSet({ owner, entry_id: entry }),
        )
        .execute()
    }
    const saved = { turns: JSON.stringify(turns) }
    await tx.updateTable('hand_overs').set(saved).where('id', '=', id).execute()
    return true
  })
}

/** Gives the leads of a portion back, except those that someone has assigned since. Returns as `handOverPortion` does. */
export async function giveBackPortion(
  db: Kysely<Schema>,
  id: number,
  { version, moves, now }: Omit<Portion, 'turns'>,
): Promise<boolean> {
  return db.transaction().execute(async tx => {
    const claimed = await claimPortion(tx, id, version)
    if (claimed === undefined) return false
    const { from, undoneBy } = claimed
    for (const { leadId, restart } of moves) {
      const lead = await lockLead(tx, leadId)
      const moved = await tx
        .selectFrom('hand_over_leads')
        .select(['owner', 'entry_id'])
        .where('hand_over_id', '=', id)
        .where('lead_id', '=', leadId)
        .executeTakeFirst()
      if (lead === undefined || moved === undefined) continue
      const back =
        lead.id === leadId && lead.owner === moved.owner && (await stands(tx, moved.entry_id))
      if (back) {
        await setOwner(tx, leadId, { owner: from, now })
        const { entry_id: entry } = moved
        await tx.updateTable('timeline').set({ undone_at: now }).where('id', '=', entry).execute()
        const was = { owner: lead.owner }
        const detail = `assigned: ${from}`
        await addEntry(tx, leadId, {
          at: now,
          kind: 'undone',
          detail,
          was,
          actor: undoneBy,
        })
        if (restart && lead.stage === 'new') await beginTrackAgain(tx, leadId, restart, now)
      }
      await tx
        .updateTable('hand_over_leads')
        .set({ restored: back ? 1 : 0 })
        .where('hand_over_id', '=', id)
        .where('lead_id', '=', leadId)
        .execute()
    }
    return true
  })
}

const setOwner = (
  tx: Transaction<Schema>,
  id: number,
  { owner, now }: { owner: string | null; now: number },
) => tx.updateTable('leads').set({ owner, updated_at: now }).where('id', '=', id).execute()

async function stands(tx: Transaction<Schema>, entry: number): Promise<boolean> {
  const row = await tx
    .selectFrom('timeline')
    .select('id')
    .where('id', '=', entry)
    .where('undone_at', 'is', null)
    .executeTakeFirst()
  return row !== undefined
}

/** Locks the hand-over for a portion; undefined if another process was faster, or it has ended. */
async function claimPortion(
  tx: Transaction<Schema>,
  id: number,
  version: number,
): Promise<LeadsHandOver | undefined> {
  const row = await tx
    .updateTable('hand_overs')
    .set({ version: version + 1 })
    .where('id', '=', id)
    .where('version', '=', version)
    .where('state', 'in', ['running', 'undoing'])
    .returningAll()
    .executeTakeFirst()
  return row && asHandOver(row)
}

/** Ends a hand-over, or its undoing, and adds the emails about it. `recipients` are those who were not notified before. */
export async function finishHandOver(
  db: Kysely<Schema>,
  id: number,
  {
    version,
    recipients,
    now,
  }: { version: number; recipients: readonly HandOverRecipient[]; now: number },
): Promise<void> {
  await db.transaction().execute(async tx => {
    const found = await claimPortion(tx, id, version)
    if (found === undefined) return
    const all = [...found.recipients, ...recipients]
    await tx
      .updateTable('hand_overs')
      .set({
        state: found.state === 'undoing' ? 'undone' : 'done',
        recipients: JSON.stringify(all),
        finished_at: now,
      })
      .where('id', '=', id)
      .execute()
    const steps = recipients.map((_, index) => found.recipients.length + index)
    await addMails(
      tx,
      steps.map(step => ({ kind: 'hand-over', subject: id, step })),
      now,
    )
  })
}
