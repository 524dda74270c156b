/**
 * Hands over all of one person's leads in portions. Each portion is a transaction of its own; if the process dies, any
 * process can continue after it. A hand-over is undone in the same way.
 */
import { type Insertable, type Kysely, sql, type Transaction } from 'kysely'
import type { Cadence } from '../../follow-up/cadence.ts'
import type { Restart } from '../../follow-up/schedule.ts'
import type { Lead } from '../../leads/lead/lead.ts'
import { THE_TEAM } from '../../leads/lead/timeline-details.ts'
import type { Was } from '../../leads/lead/timeline-entries.ts'
import { parseCadence } from '../follow-up/cadence-versions.ts'
import { beginTracksAgain } from '../follow-up/steps.ts'
import { closedWaitingOf } from '../follow-up/unanswered.ts'
import { handOnCallbacks } from '../leads/callbacks.ts'
import { asLead, type LockedLead, lockLeads } from '../leads/leads.ts'
import { addEntries, addEntryToEach } from '../leads/timeline.ts'
import { addMails } from '../outbox/outbox.ts'
import type { Schema } from '../tables/schema.ts'
import { giveBackReminders, type LeadRestart, readReminders } from './hand-over-reminders.ts'
import { asHandOver, type HandOverRecipient, type LeadsHandOver } from './hand-overs.ts'

/** The next leads of a hand-over under way: open ones, then closed ones that wait for an answer; empty at the end. */
export async function readHandOverPortion(
  db: Kysely<Schema>,
  { id, from, state }: Pick<LeadsHandOver, 'id' | 'from' | 'state'>,
  limit: number,
): Promise<{ lead: Lead; cadence: Cadence }[]> {
  const leads = db.selectFrom('leads').leftJoin('cadences', 'cadences.id', 'leads.cadence_id')
  // In the order of an index: in any other order, each portion would read all of the person's leads.
  const open = leads
    .where('leads.owner', '=', from)
    .where('leads.stage', '<>', sql.lit('closed'))
    .orderBy('leads.stage')
    .orderBy('leads.imported')
    .orderBy('leads.created_at')
    .orderBy('leads.id')
  const handed = leads
    .innerJoin('hand_over_leads as h', 'h.lead_id', 'leads.id')
    .where('h.hand_over_id', '=', id)
    .where('h.restored', 'is', null)
    .orderBy('h.lead_id')
  const read = (query: typeof leads) => query.selectAll('leads').select('cadences.steps').limit(limit).execute()
  const rows = await read(state === 'running' ? open : handed)
  if (rows.length === 0 && state === 'running') {
    const closed = await closedWaitingOf(db, from).select('id').limit(limit).execute()
    const ids = closed.map(one => one.id)
    if (ids.length > 0) rows.push(...(await read(leads.where('leads.id', 'in', ids))))
  }
  return rows.map(row => ({ lead: asLead(row), cadence: row.steps === null ? [] : parseCadence(row.steps) }))
}

export type HandOverMove = {
  leadId: number
  owner: string | null
  /** The reminders. If the person is waiting, the reminders start again for the new owner, unless they never began. */
  restart: Restart | undefined
}

type Portion = {
  /** The version of the hand-over when the portion was read. */
  version: number
  moves: readonly HandOverMove[]
  turns: Record<string, number>
  now: number
}

/** Gives the leads of a portion to their new owners. Returns false, and changes nothing, if the portion is done. */
export async function handOverPortion(
  db: Kysely<Schema>,
  id: number,
  { version, moves, turns, now }: Portion,
): Promise<boolean> {
  return db.transaction().execute(async tx => {
    const claimed = await claimPortion(tx, id, version)
    if (claimed === undefined) return false
    const { from, fromName, at, actor } = claimed
    const leads = await lockLeads(tx, idsOf(moves))
    // A lead that was merged meanwhile belongs to the owner of the kept lead.
    const theirs = leads.filter(
      ({ owner, stage, merged_into, unanswered_since }) =>
        owner === from && merged_into === null && (stage !== 'closed' || unanswered_since !== null),
    )
    const moved = movesOf(theirs, moves)
    for (const [owner, ofOwner] of Map.groupBy(moved, one => one.owner))
      await setOwner(tx, idsOf(ofOwner), { owner, from, now })
    const restarts = restartsOf(theirs, moved)
    const reminders = await readReminders(tx, restarts)
    const entries = await addEntryToEach(
      tx,
      moved.map(({ leadId, owner }) => ({
        leadId,
        at,
        kind: 'assigned',
        actor,
        was: { owner: from, reminders: reminders.get(leadId) ?? [] },
        detail: `${owner ?? THE_TEAM}: all leads of ${fromName} were handed over`,
      })),
    )
    const begun = restarts.filter(({ leadId }) => reminders.has(leadId))
    await beginTracksAgain(tx, begun, now)
    await recordMoved(
      tx,
      moved.map(({ leadId, owner }) => ({
        hand_over_id: id,
        lead_id: leadId,
        owner,
        restored: null,
        entry_id: entries.get(leadId) as number,
      })),
    )
    const saved = { turns: JSON.stringify(turns) }
    await tx.updateTable('hand_overs').set(saved).where('id', '=', id).execute()
    return true
  })
}

/**
 * Gives the leads of a portion back to the former owner, except those that someone has assigned since. Returns the same
 * as `handOverPortion`.
 */
export async function giveBackPortion(
  db: Kysely<Schema>,
  id: number,
  { version, moves, now }: Omit<Portion, 'turns'>,
): Promise<boolean> {
  return db.transaction().execute(async tx => {
    const claimed = await claimPortion(tx, id, version)
    if (claimed === undefined) return false
    const { from, undoneBy } = claimed
    const leads = await lockLeads(tx, idsOf(moves))
    const handed = await readHanded(tx, id, idsOf(moves))
    const theirs = leads.filter(lead => {
      const one = handed.find(({ lead_id }) => lead_id === lead.id)
      // A lead that was merged meanwhile belongs to the owner of the kept lead.
      return one?.stands && lead.merged_into === null && lead.owner === one.owner
    })
    const back = movesOf(theirs, moves)
    const isBack = new Set(idsOf(back))
    await setOwner(tx, idsOf(back), { owner: from, from: null, now })
    const undone = handed.filter(({ lead_id }) => isBack.has(lead_id))
    await undoEntries(tx, undone, { actor: undoneBy, detail: `assigned: ${from}`, now })
    await giveBackReminders(tx, undone, restartsOf(theirs, back), now)
    for (const [restored, ofThese] of Map.groupBy(moves, one => isBack.has(one.leadId)))
      await tx
        .updateTable('hand_over_leads')
        .set({ restored: restored ? 1 : 0 })
        .where('hand_over_id', '=', id)
        .where('lead_id', 'in', idsOf(ofThese))
        .execute()
    return true
  })
}

// A portion is a few statements, however many leads it has: on PostgreSQL, each statement waits for the server.

const idsOf = (moves: readonly HandOverMove[]): number[] => moves.map(({ leadId }) => leadId)

const movesOf = (leads: readonly LockedLead[], moves: readonly HandOverMove[]) => {
  const ids = new Set(leads.map(({ id }) => id))
  return moves.filter(({ leadId }) => ids.has(leadId))
}

/** The reminders that start again: about people who no one has reached, or who wait for an answer. */
function restartsOf(leads: readonly LockedLead[], moves: readonly HandOverMove[]): LeadRestart[] {
  const waits = ({ stage, unanswered_since }: LockedLead) => stage === 'new' || unanswered_since !== null
  const waiting = new Set(leads.filter(waits).map(({ id }) => id))
  return moves.flatMap(({ leadId, restart }) => (restart && waiting.has(leadId) ? [{ leadId, ...restart }] : []))
}

async function setOwner(
  tx: Transaction<Schema>,
  ids: readonly number[],
  { owner, from, now }: { owner: string | null; from: string | null; now: number },
): Promise<void> {
  if (ids.length === 0) return
  await tx.updateTable('leads').set({ owner, updated_at: now }).where('id', 'in', ids).execute()
  await handOnCallbacks(tx, ids, [from, owner])
}

/** Marks the entries of a hand-over as undone, and adds entries that say so. */
async function undoEntries(
  tx: Transaction<Schema>,
  handed: readonly { lead_id: number; owner: string | null; entry_id: number }[],
  { actor, detail, now }: { actor: string | null; detail: string; now: number },
): Promise<void> {
  if (handed.length === 0) return
  const entries = handed.map(one => one.entry_id)
  await tx.updateTable('timeline').set({ undone_at: now }).where('id', 'in', entries).execute()
  await addEntries(
    tx,
    handed.map(({ lead_id: leadId, owner }) => ({ leadId, at: now, kind: 'undone', detail, actor, was: { owner } })),
  )
}

/** Records who got these leads. A lead that was meanwhile assigned back to the former owner is handed over again. */
async function recordMoved(
  tx: Transaction<Schema>,
  rows: readonly Insertable<Schema['hand_over_leads']>[],
): Promise<void> {
  if (rows.length === 0) return
  await tx
    .insertInto('hand_over_leads')
    .values(rows)
    .onConflict(oc =>
      oc
        .columns(['hand_over_id', 'lead_id'])
        .doUpdateSet(eb => ({ owner: eb.ref('excluded.owner'), entry_id: eb.ref('excluded.entry_id') })),
    )
    .execute()
}

/** What a hand-over did with these leads, and whether its entries in their timelines were undone since. */
async function readHanded(tx: Transaction<Schema>, id: number, leadIds: readonly number[]) {
  const rows = await tx
    .selectFrom('hand_over_leads as h')
    .innerJoin('timeline as e', 'e.id', 'h.entry_id')
    .select(['h.lead_id', 'h.owner', 'h.entry_id', 'e.undone_at', 'e.was'])
    .where('h.hand_over_id', '=', id)
    .where('h.lead_id', 'in', leadIds)
    .execute()
  return rows.map(({ undone_at, was, ...row }) => ({
    ...row,
    stands: undone_at === null,
    was: was === null ? null : (JSON.parse(was) as Was),
  }))
}

/** Locks the hand-over for a portion; undefined if another process has done the portion, or the hand-over has ended. */
async function claimPortion(tx: Transaction<Schema>, id: number, version: number): Promise<LeadsHandOver | undefined> {
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

/** Ends a hand-over, or its undo, and adds the emails about it. `recipients`: those not notified yet who get one. */
export async function finishHandOver(
  db: Kysely<Schema>,
  id: number,
  { version, recipients, now }: { version: number; recipients: readonly HandOverRecipient[]; now: number },
): Promise<void> {
  await db.transaction().execute(async tx => {
    const found = await claimPortion(tx, id, version)
    if (found === undefined) return
    const all = [...found.recipients, ...recipients]
    await tx
      .updateTable('hand_overs')
      .set({ state: found.state === 'undoing' ? 'undone' : 'done', recipients: JSON.stringify(all), finished_at: now })
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
