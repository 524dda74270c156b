/** The counts of insight: for each day and month, and each value of each dimension, how many leads have which facts. */
import type { Expression, ExpressionBuilder, SqlBool, Transaction } from 'kysely'
import type { Schema } from '../tables/schema.ts'
import { type LeadFacts, placesOf } from './lead-facts.ts'
import { sumOf } from './sum-counts.ts'

/** The row of `progress` that a transaction locks before it changes counts. */
const COUNTS = 'insight'

/** A statement about more rows than this may have too many parameters. */
const ROWS_AT_ONCE = 500

/**
 * Makes this transaction the only one that changes counts. Call it before leads are locked. Returns false if another
 * transaction is changing counts and we should not wait for it.
 */
export async function lockCounts(tx: Transaction<Schema>, { wait }: { wait: boolean }): Promise<boolean> {
  await tx
    .insertInto('progress')
    .values({ name: COUNTS, through: 0 })
    .onConflict(oc => oc.doNothing())
    .execute()
  const row = tx.selectFrom('progress').select('name').where('name', '=', COUNTS).forUpdate()
  return (await (wait ? row : row.skipLocked()).executeTakeFirst()) !== undefined
}

type Place = Pick<Schema['insight_counts'], 'dimension' | 'period' | 'kind' | 'value'>

/** The changes to the counts of one place. */
type Difference = Place & { leads: number; codes: Map<string, number> }

/** The changes if leads had some facts and now have others. */
export function differences(before: readonly LeadFacts[], after: readonly LeadFacts[]): Difference[] {
  const found = new Map<string, Difference>()
  const add = (facts: LeadFacts, by: 1 | -1) => {
    for (const { codes, ...place } of placesOf(facts)) {
      const { dimension, period, value } = place
      const key = keyOf({ ...place, kind: facts.kind })
      const entry: Difference = found.get(key) ?? {
        dimension,
        period,
        kind: facts.kind,
        value,
        leads: 0,
        codes: new Map(),
      }
      found.set(key, entry)
      entry.leads += by
      for (const code of codes) entry.codes.set(code, (entry.codes.get(code) ?? 0) + by)
    }
  }
  for (const facts of before) add(facts, -1)
  for (const facts of after) add(facts, 1)
  return [...found.values()]
}

const keyOf = ({ dimension, period, kind, value }: Place): string => `${dimension} ${period} ${kind} ${value}`

/** Reads counts, adds to them and writes them back: `lockCounts` first. */
export async function addToCounts(tx: Transaction<Schema>, all: readonly Difference[]): Promise<void> {
  for (let at = 0; at < all.length; at += ROWS_AT_ONCE) {
    const some = all.slice(at, at + ROWS_AT_ONCE)
    const stored = await tx.selectFrom('insight_counts').selectAll().where(isOneOf(some)).execute()
    const counted = new Map(stored.map(row => [keyOf(row), row]))
    const rows = some.map(({ dimension, period, kind, value, leads, codes }) => {
      const before = counted.get(keyOf({ dimension, period, kind, value }))
      return { dimension, period, kind, value, leads: (before?.leads ?? 0) + leads, counts: sum(before?.counts, codes) }
    })
    const { empty = [], filled = [] } = Object.groupBy(rows, ({ leads }) => (leads === 0 ? 'empty' : 'filled'))
    if (empty.length > 0) await tx.deleteFrom('insight_counts').where(isOneOf(empty)).execute()
    if (filled.length === 0) continue
    await tx
      .insertInto('insight_counts')
      .values(filled)
      .onConflict(oc =>
        oc
          .columns(['dimension', 'period', 'kind', 'value'])
          .doUpdateSet(eb => ({ leads: eb.ref('excluded.leads'), counts: eb.ref('excluded.counts') })),
      )
      .execute()
  }
}

/** A condition on counts: the counts of these places. */
const isOneOf =
  (places: readonly Place[]) =>
  (eb: ExpressionBuilder<Schema, 'insight_counts'>): Expression<SqlBool> =>
    eb(
      eb.refTuple('dimension', 'period', 'kind', 'value'),
      'in',
      places.map(place => eb.tuple(place.dimension, place.period, place.kind, place.value)),
    )

function sum(stored: string | undefined, codes: ReadonlyMap<string, number>): string {
  const counts = sumOf(stored === undefined ? [] : [{ counts: stored, sign: 1 }])
  for (const [code, n] of codes) counts.set(code, (counts.get(code) ?? 0) + n)
  return JSON.stringify(Object.fromEntries([...counts].filter(([, n]) => n !== 0)))
}
