/**
 * Queries on the tasks: claim, finish, postpone, release. A claim is a conditional update with a lease and a token;
 * only the holder of the latest token may conclude the task.
 */
import { type ExpressionBuilder, type Kysely, type Selectable, sql, type Updateable } from 'kysely'
import type { Lane, Schema } from '../tables/schema.ts'
import type { TaskKind } from '../tables/task-kinds.ts'
import { AGAIN_AND_AGAIN } from './again-and-again.ts'
import { CLOCK_SKEW } from './clock-skew.ts'

export type Task = Selectable<Schema['tasks']>

/** A task together with the token of its claim. */
export type ClaimedTask = Pick<Task, 'id' | 'lease_token'>

/** How long a claim keeps others away, in milliseconds, unless renewed. A crash delays a task by at most this. */
export const LEASE = 20_000

/**
 * Attempts that ended with their process count up to this number. By then, everything that depends on whether a task
 * was begun before, or fails again and again, is decided. Counting more would only lengthen the wait after the next
 * failure, as if someone had refused the message.
 */
const COUNTED_ENDINGS = AGAIN_AND_AGAIN

/** The columns of the lease, for a task without a claim. */
export const NO_LEASE = { lease_until: null, lease_token: null } as const

/** The columns of a task that begins again, with its attempts reset. A claim on the task ends. */
export const BEGINS_AGAIN = {
  state: 'due',
  attempts: 0,
  note: null,
  begun_at: null,
  finished_at: null,
  ...NO_LEASE,
} as const

/** Notifications among this many of the newest messages overtake the others. */
const NEWEST = 200

/**
 * Claims up to `limit` due tasks of a lane, first due first. Safe to race: a task goes to one claimant until its lease
 * ends. A lease that ends later than any claim could make it counts as ended: the clock was set back.
 */
export async function claimTasks(
  db: Kysely<Schema>,
  {
    lane,
    now,
    token,
    limit,
    fresh = false,
    subject,
    passOver = [],
  }: {
    lane: Lane
    now: number
    token: string
    limit: number
    fresh?: boolean
    /** Claim only tasks about this subject. */
    subject?: number
    /** Do not claim events for these destinations. */
    passOver?: readonly number[] | undefined
  },
): Promise<Task[]> {
  const due = db
    .selectFrom('tasks')
    .select('id')
    .where('lane', '=', lane)
    .where('state', '=', sql.lit('due'))
    .$if(subject !== undefined, query => query.where('subject', '=', subject ?? 0))
    .$if(passOver.length > 0, query => query.where(destinationOf, 'not in', passOver))
  const atOnce = due.where('due_at', '=', 0).orderBy('id', 'desc').limit(NEWEST)
  const chosen = fresh
    ? due.where('id', 'in', atOnce).where('kind', '=', sql.lit('notify')).orderBy('id', 'desc')
    : due.where('due_at', '<=', now).orderBy('due_at').orderBy('id')
  const free = chosen.where(hasNoClaim(now)).limit(limit).forUpdate().skipLocked()
  const claimed = await db
    // Materialized: a plain subquery might be run, and lock, more than once.
    .with(
      cte => cte('free').materialized(),
      () => free,
    )
    .updateTable('tasks')
    .set(eb => ({
      lease_until: now + LEASE,
      lease_token: token,
      // A token is left over if the previous attempt was never concluded.
      attempts: eb
        .case()
        .when(eb.and([eb('lease_token', 'is not', null), eb('attempts', '>=', COUNTED_ENDINGS)]))
        .then(eb.ref('attempts'))
        .else(eb('attempts', '+', 1))
        .end(),
      // These messages may wait days for their hour: a reminder of a callback, an email for next week. So their date is
      // the day of the first attempt to send them, and they are tried for five days from then on.
      begun_at: sql`case when kind in ('news', 'message', 'strays', 'digest', 'unattended', 'report', 'daily', 'retention')
        then coalesce(begun_at, ${now}) else begun_at end`,
    }))
    .where('id', 'in', eb => eb.selectFrom('free').select('id'))
    .returningAll()
    .execute()
  return claimed.sort((a, b) => a.due_at - b.due_at || a.id - b.id)
}

/** The destination of the event that a task is about; 0 if it is gone. This looks up each task on its own. */
const destinationOf = sql<number>`coalesce((select destination_id from deliveries where deliveries.id = tasks.subject), 0)`

/** The lanes among these that have a task to claim. */
export async function listDueLanes(
  db: Kysely<Schema>,
  { lanes, now }: { lanes: readonly Lane[]; now: number },
): Promise<Lane[]> {
  const isDue = await db
    .selectNoFrom(eb =>
      lanes.map(lane =>
        eb
          .exists(
            eb
              .selectFrom('tasks')
              .select('id')
              .where('lane', '=', lane)
              .where('state', '=', sql.lit('due'))
              .where('due_at', '<=', now)
              .where(hasNoClaim(now)),
          )
          .as(lane),
      ),
    )
    .executeTakeFirstOrThrow()
  return lanes.filter(lane => isDue[lane])
}

/**
 * Whether no one works on a task: no one has claimed it, or the claim has ended. Everything that must not interfere
 * with the holder of a task uses this condition, and no other.
 */
export const hasNoClaim = (now: number) => (eb: ExpressionBuilder<Schema, 'tasks'>) =>
  eb.or([eb('lease_until', 'is', null), eb('lease_until', '<=', now), eb('lease_until', '>', now + LEASE + CLOCK_SKEW)])

/** Concludes a claimed task. Returns false, and changes nothing, when the claim has ended. */
export async function finishTask(
  db: Kysely<Schema>,
  task: ClaimedTask,
  end: { state: 'done' | 'dead' | 'skipped'; note: string | null; now: number },
): Promise<boolean> {
  const changed = await changeClaimed(db, [task], {
    state: end.state,
    note: end.note,
    finished_at: end.now,
    ...NO_LEASE,
  })
  return changed === 1
}

/** Concludes as done the tasks whose claims are still held. */
export async function finishTasks(db: Kysely<Schema>, tasks: readonly ClaimedTask[], now: number): Promise<void> {
  await changeClaimed(db, tasks, { state: 'done', note: null, finished_at: now, ...NO_LEASE })
}

/**
 * Postpones a claimed task until `dueAt`. `countsAsAttempt` is false if the task was only read, because its time had
 * not come. Returns false if the claim has ended.
 */
export async function postponeTask(
  db: Kysely<Schema>,
  task: Pick<Task, 'id' | 'lease_token' | 'attempts'>,
  {
    dueAt,
    note,
    now,
    begunAt,
    countsAsAttempt = true,
  }: { dueAt: number; note: string; now: number; begunAt?: number; countsAsAttempt?: boolean },
): Promise<boolean> {
  const change: Updateable<Schema['tasks']> = { due_at: dueAt, scheduled_at: now, note, ...NO_LEASE }
  if (begunAt !== undefined) change.begun_at = begunAt
  if (!countsAsAttempt) change.attempts = task.attempts - 1
  return (await changeClaimed(db, [task], change)) === 1
}

/**
 * Whether all of these claims are still held. Each claim that is held gets a whole lease from now on. Called inside the
 * transaction whose work depends on the claims, and during work that has no transaction.
 */
export async function renewTasks(db: Kysely<Schema>, tasks: readonly ClaimedTask[], now: number): Promise<boolean> {
  return (await changeClaimed(db, tasks, { lease_until: now + LEASE })) === tasks.length
}

/** Changes the tasks whose claims are still held, among tasks that were claimed together. Returns how many. */
async function changeClaimed(
  db: Kysely<Schema>,
  tasks: readonly ClaimedTask[],
  change: Updateable<Schema['tasks']>,
): Promise<number> {
  const { numUpdatedRows } = await db
    .updateTable('tasks')
    .set(change)
    .where('id', 'in', inOrder(db, idsOf(tasks)))
    .where('lease_token', '=', tasks[0]?.lease_token ?? null)
    .where('state', '=', sql.lit('due'))
    .executeTakeFirst()
  return Number(numUpdatedRows)
}

const idsOf = (tasks: readonly ClaimedTask[]): number[] => tasks.map(({ id }) => id)

/** The ids of these tasks, always locked in the same order, so that statements that change several do not deadlock. */
export const inOrder = (db: Kysely<Schema>, ids: readonly number[]) =>
  db.selectFrom('tasks').select('id').where('id', 'in', ids).orderBy('id').forUpdate()

/**
 * Frees the claims of a process that has died, for a worker that knows that it is the only one. A task that has begun
 * several times stays claimed until its lease ends: it may be what the process died of, at each start.
 */
export async function takeOverClaims(db: Kysely<Schema>): Promise<void> {
  await db
    .updateTable('tasks')
    .set(NO_LEASE)
    .where('state', '=', sql.lit('due'))
    .where('lease_until', 'is not', null)
    .where('attempts', '<', COUNTED_ENDINGS)
    .execute()
}

/** Releases what a stopping worker has claimed and not concluded. */
export async function releaseTasks(db: Kysely<Schema>, ids: number[], token: string): Promise<void> {
  await db
    .updateTable('tasks')
    .set(eb => ({ ...NO_LEASE, attempts: eb('attempts', '-', 1) }))
    .where('id', 'in', inOrder(db, ids))
    .where('lease_token', '=', token)
    .where('state', '=', sql.lit('due'))
    .execute()
}

/** Adds a task to file one submission again, on its own, at `dueAt`; 0 means immediately. */
export async function refile(
  db: Kysely<Schema>,
  submissionId: number,
  { dueAt, note, now }: { dueAt: number; note: string | null; now: number },
): Promise<void> {
  // A process may be working on an earlier request; it loses its claim.
  const values = { ...BEGINS_AGAIN, due_at: dueAt, scheduled_at: now, note, created_at: now }
  await db
    .insertInto('tasks')
    .values({ lane: 'filing', kind: 'refile', subject: submissionId, through: null, ...values })
    .onConflict(oc => oc.columns(['kind', 'subject', 'step']).doUpdateSet(values))
    .execute()
}

/** The subjects of tasks, by kind, so that there is one query for each kind. */
export const subjectsByKind = <K extends TaskKind>(tasks: readonly { kind: K; subject: number }[]): [K, number[]][] =>
  [...Map.groupBy(tasks, ({ kind }) => kind)].map(([kind, group]) => [kind, group.map(({ subject }) => subject)])

/** How many of these tasks are due. */
export async function countDue(
  db: Kysely<Schema>,
  tasks: readonly { kind: TaskKind; subject: number }[],
): Promise<number> {
  let due = 0
  for (const [kind, subjects] of subjectsByKind(tasks)) {
    const { count } = await db
      .selectFrom('tasks')
      .select(eb => eb.fn.countAll<number>().as('count'))
      .where('kind', '=', kind)
      .where('subject', 'in', subjects)
      .where('state', '=', sql.lit('due'))
      .executeTakeFirstOrThrow()
    due += Number(count)
  }
  return due
}
