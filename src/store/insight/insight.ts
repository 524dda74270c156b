/**
 * Insight: how many people wrote in, how fast they were reached, and how far they got, by counselor, campaign, source,
 * program, form, state, and answer to how they heard of the school. It reads counts that `count-leads.ts` maintains, so
 * it is as fast with many leads as with few.
 */
import { type Kysely, sql } from 'kysely'
import { type Speed, summarizeContactTimes } from '../../follow-up/times-to-reach.ts'
import type { Kind } from '../../leads/body/submission.ts'
import type { Schema } from '../tables/schema.ts'
import type { Dimension } from './lead-facts.ts'
import { type Periods, periodsOf, periodsToRead, signOf } from './periods.ts'
import { type Counts, type StoredCounts, sumOf } from './sum-counts.ts'

/** The first and the last day, as yyyy-mm-dd. Without a kind, leads of both count. */
export type InsightQuery = { from: string; to: string; kind?: Kind | undefined }

/** Some of the leads that were created in a range. */
export type Tally = Speed & {
  leads: number
  /** How many leads got to each stage of their kind or further, by its index; the first number is all leads. */
  stages: number[]
  reached: number
  /** How many are not reached yet, and how many were closed before anyone reached them. */
  waiting: number
  closed: number
}

/** The leads with one value: a counselor's id (`leads/lead/staff.ts`), a name, or a state's code; '' for none. */
export type ValueTally = Tally & { value: string }

/** The values with the most leads, and all others together if there are more. */
export type Split = { values: ValueTally[]; others: Tally | undefined }

export type Insight = {
  /** Days without leads are left out. */
  days: { day: string; kind: Kind; leads: number }[]
  all: Tally
  byKind: Record<Kind, Tally>
  /** People who were imported or entered by hand; of the other figures, only `by.entered` has them. */
  entered: Tally
  by: Record<Exclude<Dimension, 'all' | 'email'>, Split>
  /** When the oldest change happened that is not counted yet; null if all are counted. */
  changedSince: number | null
}

const MOST_VALUES = 30

export async function readInsight(db: Kysely<Schema>, range: InsightQuery): Promise<Insight> {
  const query = { ...range, periods: periodsOf(range.from, range.to) }
  const rows = await readRows(db, query, 'all')
  const of = (kind: Kind) => tallyOf(sumOf(rows.filter(row => row.kind === kind)))
  const all = sumOf(rows)
  const entered = sumOf(await readRows(db, query, 'entered'))
  return {
    days: await readDays(db, query),
    all: tallyOf(all),
    byKind: { student: of('student'), site: of('site') },
    entered: tallyOf(entered),
    by: {
      counselor: await readSplit(db, query, 'counselor', all),
      campaign: await readSplit(db, query, 'campaign', all),
      source: await readSplit(db, query, 'source', all),
      // Sites are not asked.
      program: await readSplit(db, query, 'program', sumOf(rows.filter(isOfStudents))),
      heard: await readSplit(db, query, 'heard', sumOf(rows.filter(isOfStudents))),
      form: await readSplit(db, query, 'form', all),
      state: await readSplit(db, query, 'state', all),
      entered: await readSplit(db, query, 'entered', entered),
    },
    ...(await readUncounted(db)),
  }
}

/** The leads of a range with each of these values of a dimension. */
export async function readValues(
  db: Kysely<Schema>,
  range: InsightQuery,
  dimension: Exclude<Dimension, 'all' | 'email'>,
  values: readonly string[],
): Promise<(value: string) => Tally> {
  const query = { ...range, periods: periodsOf(range.from, range.to) }
  const byValue = Map.groupBy(await readRows(db, query, dimension, values), row => row.value)
  return value => tallyOf(sumOf(byValue.get(value) ?? []))
}

type Query = InsightQuery & { periods: Periods }

type Row = Pick<Schema['insight_counts'], 'kind' | 'value'> & StoredCounts

const isOfStudents = ({ kind }: Row): boolean => kind === 'student'

async function readDays(db: Kysely<Schema>, { from, to, kind }: InsightQuery) {
  const rows = await db
    .selectFrom('insight_counts')
    .select(['period', 'kind', 'leads'])
    .where('dimension', '=', 'all')
    .where('period', '>=', from)
    .where('period', '<=', to)
    .where(sql`length(period)`, '=', sql.lit(10))
    .$if(kind !== undefined, some => some.where('kind', '=', kind as Kind))
    .orderBy('period')
    .orderBy('kind')
    .execute()
  return rows.map(row => ({ day: row.period, kind: row.kind, leads: row.leads }))
}

async function readSplit(
  db: Kysely<Schema>,
  query: Query,
  dimension: Exclude<Dimension, 'all' | 'email'>,
  all: Counts,
): Promise<Split> {
  const leads = leadsOf(query.periods)
  const ranked = await within(db, query, dimension)
    .select('value')
    .groupBy('value')
    .having(leads, '>', 0)
    .orderBy(leads, 'desc')
    .orderBy('value')
    .limit(MOST_VALUES + 1)
    .execute()
  const names = ranked.slice(0, MOST_VALUES).map(({ value }) => value)
  const rows = await readRows(db, query, dimension, names)
  const byValue = Map.groupBy(rows, row => row.value)
  const sums = names.map(value => sumOf(byValue.get(value) ?? []))
  return {
    values: sums.map((sum, index) => ({ value: names[index] ?? '', ...tallyOf(sum) })),
    others: ranked.length > MOST_VALUES ? tallyOf(difference(all, sums)) : undefined,
  }
}

async function readRows(
  db: Kysely<Schema>,
  query: Query,
  dimension: Dimension,
  values?: readonly string[],
): Promise<Row[]> {
  if (values?.length === 0) return []
  const rows = await within(db, query, dimension)
    .select(['period', 'kind', 'value', 'counts'])
    .$if(values !== undefined, some => some.where('value', 'in', values as string[]))
    .execute()
  const sign = signOf(query.periods)
  return rows.map(({ period, kind, value, counts }) => ({ kind, value, counts, sign: sign(period) }))
}

const within = (db: Kysely<Schema>, { periods, kind }: Query, dimension: Dimension) =>
  db
    .selectFrom('insight_counts')
    .where('dimension', '=', dimension)
    .where('period', 'in', periodsToRead(periods))
    .$if(kind !== undefined, some => some.where('kind', '=', kind as Kind))

/** How many leads a row adds or subtracts. */
const leadsOf = ({ subtracted }: Periods) =>
  subtracted.length === 0
    ? sql<number>`sum(leads)`
    : sql<number>`sum(case when period in (${sql.join(subtracted)}) then -leads else leads end)`

function difference(all: Counts, parts: readonly Counts[]): Counts {
  const left = new Map(all)
  for (const part of parts) for (const [code, n] of part) left.set(code, (left.get(code) ?? 0) - n)
  return left
}

function tallyOf(counts: Counts): Tally {
  const at = [0, 1, 2, 3, 4].map(stage => counts.get(`${stage}`) ?? 0)
  const stages = at.map((_, stage) => at.slice(stage).reduce((sum, n) => sum + n, 0))
  const [leads = 0, reached = 0] = stages
  const closed = counts.get('c') ?? 0
  const waiting = leads - reached - closed
  const times = (letter: string) =>
    summarizeContactTimes(
      new Map([...counts].flatMap(([code, n]) => (code.startsWith(letter) ? [[Number(code.slice(1)), n]] : []))),
      leads,
    )
  return { leads, stages, reached, waiting, closed, wall: times('w'), working: times('s') }
}

async function readUncounted(db: Kysely<Schema>) {
  const mark = await db
    .selectFrom('changed_leads')
    .innerJoin('leads', 'leads.id', 'changed_leads.lead_id')
    .select('leads.updated_at')
    .orderBy('changed_leads.id')
    .limit(1)
    .executeTakeFirst()
  return { changedSince: mark?.updated_at ?? null }
}
