/** What insight keeps about people who are erased. */
import type { Transaction } from 'kysely'
import type { Schema } from '../tables/schema.ts'
import { addToCounts, differences } from './counts.ts'
import type { LeadFacts } from './lead-facts.ts'

/** If a campaign, a source or an answer brought fewer leads than this in a month, it may reveal who a person was. */
const ENOUGH = 5

/**
 * Deletes the facts of leads that are erased. Their counts stay, so that the figures of a year do not shrink. The
 * counts under a campaign, a source or an answer stay only if enough other leads have it in that month.
 */
export async function keepInCounts(tx: Transaction<Schema>, ids: readonly number[]): Promise<void> {
  const before = await tx.selectFrom('lead_facts').selectAll().where('lead_id', 'in', ids).execute()
  const after: LeadFacts[] = []
  for (const facts of before) {
    const campaign = await nameOrNone(tx, facts, 'campaign')
    const source = await nameOrNone(tx, facts, 'source')
    const heard = facts.heard === null ? null : await nameOrNone(tx, facts, 'heard')
    after.push({ ...facts, campaign, source, heard })
  }
  await addToCounts(tx, differences(before, after))
  await tx.deleteFrom('lead_facts').where('lead_id', 'in', ids).execute()
}

async function nameOrNone(
  tx: Transaction<Schema>,
  facts: LeadFacts,
  dimension: 'campaign' | 'source' | 'heard',
): Promise<string> {
  const value = facts[dimension] ?? ''
  const row = await tx
    .selectFrom('insight_counts')
    .select('leads')
    .where('dimension', '=', dimension)
    .where('period', '=', facts.day.slice(0, 7))
    .where('kind', '=', facts.kind)
    .where('value', '=', value)
    .executeTakeFirst()
  return (row?.leads ?? 0) < ENOUGH ? '' : value
}
