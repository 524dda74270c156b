/** How much waits to be done: the figures of readiness. */
import { type Kysely, sql } from 'kysely'
import type { Lane, Schema } from './schema.ts'

export type Backlog = {
  /** Submissions not yet filed. On PostgreSQL it may be fewer, since the ids of one commit have gaps. */
  unfiled: number
  /** Messages that wait for their first attempt or another. */
  mailWaiting: number
  /** Messages among them that failed at least once. */
  mailRetrying: number
  /** Messages that were given up. */
  mailFailed: number
  /** When the oldest task that is due was made, Unix milliseconds. */
  oldestDueSince: number | null
}

/** How much waits to be done, counted over up to 10,000 tasks of each lane. */
export async function countBacklog(db: Kysely<Schema>, now: number): Promise<Backlog> {
  const filing = await countDue(db, 'filing', now)
  const mail = await countDue(db, 'mail', now)
  // A step that is due next week is not waiting for us.
  const steps = await countDue(db, 'follow-up', now, { begun: true })
  const letters = await countDue(db, 'letters', now, { begun: true })
  const { failed } = await db
    .selectFrom(
      db
        .selectFrom('tasks')
        .select('id')
        .where('state', '=', sql.lit('dead'))
        .where('lane', 'in', ['mail', 'follow-up', 'letters'])
        .limit(COUNTED)
        .as('t'),
    )
    .select(eb => eb.fn.countAll<number>().as('failed'))
    .executeTakeFirstOrThrow()
  const oldest = [filing, mail, steps, letters].flatMap(({ oldest }) => oldest ?? [])
  return {
    unfiled: filing.waiting,
    mailWaiting: mail.waiting + steps.waiting + letters.waiting,
    mailRetrying: mail.tried + steps.tried + letters.tried,
    mailFailed: Number(failed),
    oldestDueSince: oldest.length > 0 ? Math.min(...oldest) : null,
  }
}

const COUNTED = 10_000

/** For one lane: how much waits, how much of that was tried before, and since when the oldest is due. */
async function countDue(db: Kysely<Schema>, lane: Lane, now: number, { begun = false } = {}) {
  let due = db
    .selectFrom('tasks')
    .select(['subject', 'through', 'note', 'due_at', 'created_at'])
    .where('state', '=', sql.lit('due'))
    .where('lane', '=', lane)
    .limit(COUNTED)
  if (begun) due = due.where('begun_at', 'is not', null)
  const row = await db
    .selectFrom(due.as('t'))
    .select(eb => [
      eb.fn.sum<number>(sql`coalesce(through - subject, 0) + 1`).as('waiting'),
      eb.fn.sum<number>(sql`case when note is not null then 1 else 0 end`).as('tried'),
      eb.fn.min(sql<number>`case when due_at <= ${now} then created_at end`).as('oldest'),
    ])
    .executeTakeFirstOrThrow()
  return {
    waiting: Number(row.waiting ?? 0),
    tried: Number(row.tried ?? 0),
    oldest: row.oldest === null ? null : Number(row.oldest),
  }
}
