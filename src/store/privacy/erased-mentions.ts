/** What other people's timelines say about someone who is erased: that leads were merged by mistake, and unmerged. */
import { sql, type Transaction } from 'kysely'
import { otherErased, otherLeadIn } from '../../leads/lead/timeline-details.ts'
import type { Schema } from '../tables/schema.ts'

/**
 * Removes the name, address and number of erased leads from other timelines' entries about merging with them, together
 * with the data for undoing the merge. Call it while the erased leads still exist. Returns these entries.
 */
export async function eraseMentions(tx: Transaction<Schema>, erased: readonly number[]): Promise<number[]> {
  const mentions: { id: number; other: number }[] = []
  for (const lead of await unmergedFrom(tx, erased))
    for (const entry of await entriesAbout(tx, lead)) if (erased.includes(entry.other)) mentions.push(entry)
  // Looks the entries up by their ids, since a merge may move them meanwhile.
  for (const { id, other } of mentions)
    await tx
      .updateTable('timeline')
      .set({ detail: otherErased(other), was: null })
      .where('id', '=', id)
      .execute()
  return mentions.map(({ id }) => id)
}

/** The other leads that these were unmerged from: both timelines have an entry about it. */
async function unmergedFrom(tx: Transaction<Schema>, leads: readonly number[]): Promise<number[]> {
  if (leads.length === 0) return []
  const rows = await tx
    .selectFrom('timeline')
    .select('detail')
    .where('lead_id', 'in', leads)
    .where('kind', '=', 'unmerged')
    .execute()
  const others = new Set(rows.flatMap(({ detail }) => otherLeadIn(detail)?.id ?? []))
  return [...others.difference(new Set(leads))]
}

/** The entries about merging in the timeline of a lead or, if it was merged since, of the kept lead. */
async function entriesAbout(tx: Transaction<Schema>, lead: number) {
  const { rows } = await sql<{ id: number; detail: string }>`
    with recursive kept (id) as (
      select id from leads where id = ${lead}
      union
      select leads.merged_into from leads join kept on kept.id = leads.id where merged_into is not null
    )
    select id, detail from timeline
    where lead_id in (select id from kept) and kind in ('merged', 'unmerged')`.execute(tx)
  return rows.flatMap(({ id, detail }) => {
    const other = otherLeadIn(detail)
    return other === undefined ? [] : [{ id: Number(id), other: other.id }]
  })
}
