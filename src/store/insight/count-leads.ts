/**
 * Keeps the counts of insight correct. When a lead has changed, this subtracts the facts that were counted for it, and
 * adds its current ones. Triggers mark each change in its own transaction, so none is missed, in whatever order
 * transactions commit.
 */
import type { Kysely, Transaction } from 'kysely'
import { type SchoolWeek, schoolHours } from '../../follow-up/school-hours.ts'
import { timeZone } from '../../follow-up/time-zones.ts'
import type { Schema } from '../tables/schema.ts'
import { addToCounts, differences, lockCounts } from './counts.ts'
import { type LeadFacts, readFacts } from './lead-facts.ts'

/**
 * Counts leads that have changed, up to `limit` marks. Returns whether there may be more. Safe to interrupt, and safe
 * to call in several processes at once: one of them counts, and the others have nothing to do.
 */
export async function countLeads(
  db: Kysely<Schema>,
  { school, limit }: { school: SchoolWeek; limit: number },
): Promise<boolean> {
  // Without this check, an idle service would keep writing.
  if ((await db.selectFrom('changed_leads').select('id').limit(1).executeTakeFirst()) === undefined) return false
  return db.transaction().execute(async tx => {
    if (!(await lockCounts(tx, { wait: false }))) return false
    const marks = await tx.selectFrom('changed_leads').selectAll().orderBy('id').limit(limit).execute()
    if (marks.length === 0) return false
    await recount(tx, [...new Set(marks.map(mark => mark.lead_id))], school)
    const ids = marks.map(({ id }) => id)
    await tx.deleteFrom('changed_leads').where('id', 'in', ids).execute()
    return true
  })
}

/** A lead that no longer exists, or does not count, is only subtracted. */
async function recount(tx: Transaction<Schema>, ids: readonly number[], week: SchoolWeek) {
  // Not locked: a change meanwhile leaves a mark of its own, and an erasure waits for the counts.
  const leads = await tx.selectFrom('leads').selectAll().where('id', 'in', ids).execute()
  const time = { zone: timeZone(week.timeZone), school: schoolHours(week) }
  const after = await readFacts(tx, leads, time)
  const rows = await tx.selectFrom('lead_facts').selectAll().where('lead_id', 'in', ids).execute()
  const before = new Map(rows.map(row => [row.lead_id, row]))
  const changed = ids.filter(id => !isSame(before.get(id), after.get(id)))
  const factsIn = (facts: Map<number, LeadFacts>) => changed.flatMap(id => facts.get(id) ?? [])
  await replaceFacts(tx, changed, factsIn(after))
  await addToCounts(tx, differences(factsIn(before), factsIn(after)))
}

const isSame = (one: LeadFacts | undefined, other: LeadFacts | undefined): boolean =>
  one === other ||
  (one !== undefined &&
    other !== undefined &&
    Object.keys(one).every(key => one[key as keyof LeadFacts] === other[key as keyof LeadFacts]))

async function replaceFacts(
  tx: Transaction<Schema>,
  ids: readonly number[],
  facts: readonly LeadFacts[],
): Promise<void> {
  if (ids.length > 0) await tx.deleteFrom('lead_facts').where('lead_id', 'in', ids).execute()
  if (facts.length > 0) await tx.insertInto('lead_facts').values(facts).execute()
}
