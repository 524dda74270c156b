/** The open callbacks of a lead: reading them, and keeping the lead's own columns about them up to date. */
import type { Kysely, Selectable, Transaction } from 'kysely'
import type { Schema } from '../tables/schema.ts'

/** A promise to call a person, open until someone records the outcome. */
export type Callback = {
  id: number
  leadId: number
  dueAt: number
  /** Who calls: the id of a counselor, or `manager`; null for the counselor of the lead. */
  assignee: string | null
  words: string
  /** Whether it has paused the follow-up, which resumes when the last such callback has ended. */
  pauses: boolean
  /** The entry of the timeline that says that it was planned or moved. */
  entry: number
}

/** The open callbacks of a lead, the next one first. */
export async function listCallbacks(db: Kysely<Schema>, leadId: number): Promise<Callback[]> {
  const rows = await db
    .selectFrom('callbacks')
    .selectAll()
    .where('lead_id', '=', leadId)
    .where('ended_at', 'is', null)
    .orderBy('due_at')
    .orderBy('id')
    .execute()
  return rows.map(asCallback)
}

export const asCallback = (row: Selectable<Schema['callbacks']>): Callback => ({
  id: row.id,
  leadId: row.lead_id,
  dueAt: row.due_at,
  assignee: row.assignee,
  words: row.words,
  pauses: row.pauses === 1,
  entry: row.entry_id,
})

/** Saves with a lead, which is locked, when its next callback is due and who else calls. Returns its open callbacks. */
export async function renewCallbacks(tx: Transaction<Schema>, leadId: number): Promise<Callback[]> {
  const open = await listCallbacks(tx, leadId)
  const others = [...new Set(open.flatMap(({ assignee }) => assignee ?? []))]
  await tx
    .updateTable('leads')
    .set({ callback_at: open[0]?.dueAt ?? null, callback_for: others.length === 0 ? null : others.join(' ') })
    .where('id', '=', leadId)
    .execute()
  return open
}

/** Gives callbacks of locked leads that have changed hands to the new counselor, except those of a third person. */
export async function handOnCallbacks(
  tx: Transaction<Schema>,
  leadIds: readonly number[],
  owners: readonly (string | null)[],
): Promise<void> {
  const named = owners.filter(one => one !== null)
  if (leadIds.length === 0 || named.length === 0) return
  const handedOn = await tx
    .updateTable('callbacks')
    .set({ assignee: null })
    .where('lead_id', 'in', leadIds)
    .where('ended_at', 'is', null)
    .where('assignee', 'in', named)
    .returning('lead_id')
    .execute()
  for (const id of new Set(handedOn.map(row => row.lead_id))) await renewCallbacks(tx, id)
}

/** Gives a lead the open callbacks of another lead that have these ids. Both leads are locked. Returns the ids. */
export async function moveCallbacks(
  tx: Transaction<Schema>,
  { from, to, only }: { from: number; to: number; only?: readonly number[] },
): Promise<number[]> {
  const moved = await tx
    .updateTable('callbacks')
    .set({ lead_id: to })
    .where('lead_id', '=', from)
    .where('ended_at', 'is', null)
    .$if(only !== undefined, query => query.where('id', 'in', [0, ...(only ?? [])]))
    .returning('id')
    .execute()
  for (const id of [from, to]) await renewCallbacks(tx, id)
  return moved.map(({ id }) => id)
}
