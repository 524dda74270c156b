/**
 * Queries on the tasks: claim, finish, retry, count. A claim is a conditional update with a lease
 * and a token; whoever holds the token of the latest claim, and nobody else, may conclude the task.
 */
import { type Kysely, type Selectable, sql, type Updateable } from 'kysely'
import { CLOCK_SKEW } from './clock-skew.ts'
import type { Lane, Schema } from './schema.ts'

export type Task = Selectable<Schema['tasks']>

/** A task together with the token of its claim. */
export type ClaimedTask = Pick<Task, 'id' | 'lease_token'>

/** For this long a claim keeps others away, in milliseconds. A crash delays a task by no more. */
export const LEASE = 60_000

/**
 * Claims up to `limit` due tasks of a lane, first due first. Safe to race: a task goes to one
 * claimant until its lease ends. A lease that ends later than any claim could make it (the clock was
 * set back) counts as ended.
 */
export async function claimTasks(
  db: Kysely<Schema>,
  { lane, now, token, limit }: { lane: Lane; now: number; token: string; limit: number },
): Promise<Task[]> {
  const free = db
    .selectFrom('tasks')
    .select('id')
    .where('lane', '=', lane)
    .where('state', '=', sql.lit('due'))
    .where('due_at', '<=', now)
    .where(eb =>
      eb.or([
        eb('lease_until', 'is', null),
        eb('lease_until', '<=', now),
        eb('lease_until', '>', now + LEASE + CLOCK_SKEW),
      ]),
    )
    .orderBy('due_at')
    .orderBy('id')
    .limit(limit)
    .forUpdate()
    .skipLocked()
  const claimed = await db
    // Once and for all: as a mere subquery it might be run, and lock, more than once.
    .with(
      cte => cte('free').materialized(),
      () => free,
    )
    .updateTable('tasks')
    .set(eb => ({ lease_until: now + LEASE, lease_token: token, attempts: eb('attempts', '+', 1) }))
    .where('id', 'in', eb => eb.selectFrom('free').select('id'))
    .returningAll()
    .execute()
  return claimed.sort((a, b) => a.due_at - b.due_at || a.id - b.id)
}

/** Concludes a claimed task. Returns false, and changes nothing, when the claim is no longer held. */
export async function finishTask(
  db: Kysely<Schema>,
  task: ClaimedTask,
  end: { state: 'done' | 'dead' | 'skipped'; note: string | null; now: number },
): Promise<boolean> {
  const changed = await changeHeld(db, [task], {
    state: end.state,
    note: end.note,
    finished_at: end.now,
    lease_until: null,
    lease_token: null,
  })
  return changed === 1
}

/** Concludes several claimed tasks as done, those whose claims are still held. */
export async function finishTasks(
  db: Kysely<Schema>,
  tasks: readonly ClaimedTask[],
  now: number,
): Promise<void> {
  await changeHeld(db, tasks, {
    state: 'done',
    note: null,
    finished_at: now,
    lease_until: null,
    lease_token: null,
  })
}

/** Puts a claimed task off until `dueAt`. Returns false when the claim is no longer held. */
export async function postponeTask(
  db: Kysely<Schema>,
  task: ClaimedTask,
  { dueAt, note, begunAt }: { dueAt: number; note: string; begunAt?: number },
): Promise<boolean> {
  const begun = begunAt === undefined ? {} : { begun_at: begunAt }
  const change = { due_at: dueAt, note, ...begun, lease_until: null, lease_token: null }
  return (await changeHeld(db, [task], change)) === 1
}

/** As `postponeTask`, for one whose time has not come: looking at it was no try. */
export async function deferTask(
  db: Kysely<Schema>,
  task: Pick<Task, 'id' | 'lease_token' | 'attempts'>,
  { dueAt, note }: { dueAt: number; note: string },
): Promise<boolean> {
  const attempts = task.attempts - 1
  const change = { due_at: dueAt, note, attempts, lease_until: null, lease_token: null }
  return (await changeHeld(db, [task], change)) === 1
}

/**
 * Whether all of these claims are still held; if so, each gets a whole lease from now on. Called
 * inside the transaction whose work hangs on the claims.
 */
export async function renewTasks(
  db: Kysely<Schema>,
  tasks: readonly ClaimedTask[],
  now: number,
): Promise<boolean> {
  return (await changeHeld(db, tasks, { lease_until: now + LEASE })) === tasks.length
}

/** Changes those of the tasks, claimed together, whose claims are still held. Returns how many. */
async function changeHeld(
  db: Kysely<Schema>,
  tasks: readonly ClaimedTask[],
  change: Updateable<Schema['tasks']>,
): Promise<number> {
  const { numUpdatedRows } = await db
    .updateTable('tasks')
    .set(change)
    .where(
      'id',
      'in',
      tasks.map(task => task.id),
    )
    .where('lease_token', '=', tasks[0]?.lease_token ?? null)
    .where('state', '=', sql.lit('due'))
    .executeTakeFirst()
  return Number(numUpdatedRows)
}

/** Gives back what a stopping worker has claimed and not concluded. */
export async function releaseTasks(
  db: Kysely<Schema>,
  ids: number[],
  token: string,
): Promise<void> {
  await db
    .updateTable('tasks')
    .set(eb => ({ lease_until: null, lease_token: null, attempts: eb('attempts', '-', 1) }))
    .where('id', 'in', ids)
    .where('lease_token', '=', token)
    .where('state', '=', sql.lit('due'))
    .execute()
}

/** Has one submission filed again on its own, at `dueAt`; 0 is at once. */
export async function refile(
  db: Kysely<Schema>,
  submissionId: number,
  { dueAt, note, now }: { dueAt: number; note: string | null; now: number },
): Promise<void> {
  // Also where there is one: whoever holds it does what it was about before, and his claim ends.
  const anew = {
    due_at: dueAt,
    state: 'due',
    attempts: 0,
    lease_until: null,
    lease_token: null,
    note,
    created_at: now,
    finished_at: null,
  } as const
  await db
    .insertInto('tasks')
    .values({ lane: 'filing', kind: 'refile', subject: submissionId, through: null, ...anew })
    .onConflict(oc => oc.columns(['kind', 'subject', 'step']).doUpdateSet(anew))
    .execute()
}

export type Backlog = {
  /** Submissions not yet filed; on PostgreSQL no more than these, since ids of one commit have gaps. */
  unfiled: number
  /** Messages that wait, for the first try or a further one. */
  mailWaiting: number
  /** Messages of those that failed at least once. */
  mailRetrying: number
  /** Messages that were given up. */
  mailFailed: number
  /** When the oldest task that is due was made, Unix milliseconds. */
  oldestDueSince: number | null
}

/** What waits to be done, counted over up to 10,000 tasks of each lane. */
export async function countBacklog(db: Kysely<Schema>, now: number): Promise<Backlog> {
  const filing = await countDue(db, 'filing', now)
  const mail = await countDue(db, 'mail', now)
  // A step of next week waits for nobody.
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

/** Of one lane: how much waits, how much of that was tried before, and since when the oldest is due. */
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
