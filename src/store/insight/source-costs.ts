/** The cost of the leads of each source, by month, with how many leads it brought and how far they got. */
import type { Kysely } from 'kysely'
import { type AuditEntry, audited } from '../operators/audit-log.ts'
import type { Schema } from '../tables/schema.ts'
import { type InsightQuery, readValues, type Tally } from './insight.ts'
import { oneName } from './lead-facts.ts'

export type SourceCost = Schema['source_costs']

/** Enough for three years of eleven sources. */
const MOST_SHOWN = 400

/** The costs that were entered, the newest month first. */
export function listSourceCosts(db: Kysely<Schema>): Promise<SourceCost[]> {
  return db
    .selectFrom('source_costs')
    .selectAll()
    .orderBy('month', 'desc')
    .orderBy('source')
    .limit(MOST_SHOWN)
    .execute()
}

/** Sets what a source cost in a month; capitals in its name make no difference; 0 deletes the entry. */
export async function setSourceCost(
  db: Kysely<Schema>,
  { source, month, cents }: SourceCost,
  audit: AuditEntry[],
): Promise<void> {
  const name = oneName(source)
  await audited(db, audit, async tx => {
    if (cents === 0) await tx.deleteFrom('source_costs').where('source', '=', name).where('month', '=', month).execute()
    else
      await tx
        .insertInto('source_costs')
        .values({ source: name, month, cents })
        .onConflict(oc => oc.columns(['month', 'source']).doUpdateSet({ cents }))
        .execute()
  })
}

/** What a source cost in a range of days, and the leads that it brought. */
export type CostOfSource = { source: string; cents: number; tally: Tally }

/**
 * The sources that cost something in a range, the most expensive first. If only some days of a month are in it, the
 * same share of its cost counts.
 */
export async function readSourceCosts(db: Kysely<Schema>, query: InsightQuery): Promise<CostOfSource[]> {
  const rows = await db
    .selectFrom('source_costs')
    .selectAll()
    .where('month', '>=', query.from.slice(0, 7))
    .where('month', '<=', query.to.slice(0, 7))
    .execute()
  const costs = new Map<string, number>()
  for (const { source, month, cents } of rows)
    costs.set(source, (costs.get(source) ?? 0) + Number(cents) * shareOf(month, query))
  const tallies = await readValues(db, query, 'source', [...costs.keys()])
  return [...costs]
    .map(([source, cents]) => ({ source, cents: Math.round(cents), tally: tallies(source) }))
    .toSorted((one, other) => other.cents - one.cents)
}

/** The share of a month's days that are in a range. */
function shareOf(month: string, { from, to }: Pick<InsightQuery, 'from' | 'to'>): number {
  const first = Temporal.PlainDate.from(`${month}-01`)
  const last = first.with({ day: first.daysInMonth })
  const begin = from > first.toString() ? Temporal.PlainDate.from(from) : first
  const end = to < last.toString() ? Temporal.PlainDate.from(to) : last
  return (begin.until(end).days + 1) / first.daysInMonth
}
