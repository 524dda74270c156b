/** Queries on how much each person on the team has to do. */
import { type Kysely, sql } from 'kysely'
import type { Schema } from './schema.ts'

export type Workload = {
  owner: string
  /** Open leads. */
  open: number
  /** The leads among them that no one has tried to reach. */
  untried: number
  /** The leads among these that someone should have tried to reach by now. */
  late: number
  /** Whether they have more open leads than were counted. */
  more: boolean
}

/** How many open leads of one person are counted, the oldest first. */
export const MOST_COUNTED = 10_000

/**
 * What each of these people has to do. `lateBefore`: someone should have tried by now to reach a person who wrote
 * before this moment.
 */
export async function readWorkloads(
  db: Kysely<Schema>,
  owners: readonly string[],
  { lateBefore }: { lateBefore: number },
): Promise<Workload[]> {
  const workloads: Workload[] = []
  for (const owner of owners) {
    const open = db
      .selectFrom('leads')
      .select(['stage', 'first_attempt_at', 'paused_at', 'created_at'])
      .where('owner', '=', owner)
      .where('stage', '<>', sql.lit('closed'))
      .orderBy('stage')
      .orderBy('created_at')
      .limit(MOST_COUNTED + 1)
    const untried = sql`stage = 'new' and first_attempt_at is null and paused_at is null`
    const row = await db
      .selectFrom(open.as('l'))
      .select(eb => [
        eb.fn.countAll<number>().as('open'),
        sql<number>`count(case when ${untried} then 1 end)`.as('untried'),
        sql<number>`count(case when ${untried} and created_at < ${lateBefore} then 1 end)`.as(
          'late',
        ),
      ])
      .executeTakeFirstOrThrow()
    const counted = Number(row.open)
    const more = counted > MOST_COUNTED
    const numbers = { untried: Number(row.untried), late: Number(row.late) }
    workloads.push({ owner, open: more ? MOST_COUNTED : counted, ...numbers, more })
  }
  return workloads
}

/** How many open leads of a person are in each stage, counted as above. */
export async function countStages(
  db: Kysely<Schema>,
  owner: string,
): Promise<{ stage: string; leads: number }[]> {
  const open = db
    .selectFrom('leads')
    .select('stage')
    .where('owner', '=', owner)
    .where('stage', '<>', sql.lit('closed'))
    .limit(MOST_COUNTED)
  const rows = await db
    .selectFrom(open.as('l'))
    .select(eb => ['stage', eb.fn.countAll<number>().as('leads')])
    .groupBy('stage')
    .orderBy('leads', 'desc')
    .execute()
  return rows.map(({ stage, leads }) => ({ stage, leads: Number(leads) }))
}
