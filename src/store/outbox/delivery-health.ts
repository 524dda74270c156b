/** How emails were delivered: how many were sent and how late. They are counted by the hour, when they are recorded. */
import { type Kysely, sql, type Transaction } from 'kysely'
import { DAY, HOUR, MINUTE } from '../../platform/time.ts'
import type { Schema } from '../tables/schema.ts'
import { isToPerson } from '../tables/task-kinds.ts'
import type { Task } from '../tasks/tasks.ts'
import { mailLanes } from './outbox.ts'

export type Audience = Schema['delivery_counts']['audience']

/** The bands of lateness: an email belongs to the first of these times, in milliseconds, within which it was sent. */
const BANDS = [MINUTE, 15 * MINUTE, HOUR, DAY, Number.POSITIVE_INFINITY]

type SentTask = Pick<Task, 'kind' | 'lane' | 'attempts' | 'due_at' | 'begun_at' | 'created_at'>

/** Counts emails that were sent, as the last change of the transaction that records them. */
export async function countSent(
  tx: Transaction<Schema>,
  sent: readonly { task: SentTask; now: number }[],
): Promise<void> {
  if (sent.length === 0) return
  const counts = new Map<string, Schema['delivery_counts']>()
  for (const { task, now } of sent) {
    const hour = Math.floor(now / HOUR) * HOUR
    const place = { hour, audience: audienceOf(task), late: latenessOf(task, now) }
    const key = Object.values(place).join(' ')
    const count = counts.get(key) ?? { ...place, sent: 0, retried: 0 }
    count.sent += 1
    if (task.attempts > 1) count.retried += 1
    counts.set(key, count)
  }
  await tx
    .insertInto('delivery_counts')
    // Always in the same order, so that transactions that add to the same rows do not deadlock.
    .values([...counts].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, row]) => row))
    .onConflict(oc =>
      oc
        .columns(['hour', 'audience', 'late'])
        .doUpdateSet(eb => ({
          sent: eb('delivery_counts.sent', '+', eb.ref('excluded.sent')),
          retried: eb('delivery_counts.retried', '+', eb.ref('excluded.retried')),
        })),
    )
    .execute()
}

const audienceOf = (task: Pick<Task, 'kind' | 'lane'>): Audience => (isToPerson(task) ? 'people' : 'staff')

/** An email that failed before was due when its first attempt began: `due_at` then holds the next attempt. */
function latenessOf(task: SentTask, now: number): number {
  const due = task.attempts > 1 ? (task.begun_at ?? task.created_at) : Math.max(task.due_at, task.created_at)
  return BANDS.findIndex(limit => now - due <= limit)
}

/** Emails to one audience that were sent or given up within a span. */
export type DeliveryHealth = {
  audience: Audience
  sent: number
  /** How many of those sent went out within a minute of being due, within 15 minutes, an hour or a day, or later. */
  bands: number[]
  /** How many of those sent had failed before. */
  retried: number
  /** How many were given up or returned: at most `MOST_FAILED` for both audiences together. */
  failed: number
}

/** Failed emails are counted up to this number. */
export const MOST_FAILED = 10_000

export async function readDelivery(
  db: Kysely<Schema>,
  { from, until }: { from: number; until: number },
): Promise<DeliveryHealth[]> {
  const counts = await db
    .selectFrom('delivery_counts')
    .select(['audience', 'late'])
    .select(eb => [eb.fn.sum<number | string>('sent').as('sent'), eb.fn.sum<number | string>('retried').as('retried')])
    .where('hour', '>=', from)
    .where('hour', '<', until)
    .groupBy(['audience', 'late'])
    .execute()
  const failed = await db
    .selectFrom('tasks')
    .select(['kind', 'lane'])
    .where('state', '=', sql.lit('dead'))
    .where('lane', 'in', mailLanes)
    .where('finished_at', '>=', from)
    .where('finished_at', '<', until)
    .limit(MOST_FAILED)
    .execute()
  return (['people', 'staff'] as const).map(audience => {
    const own = counts.filter(count => count.audience === audience)
    const bands = BANDS.map((_, late) => Number(own.find(one => one.late === late)?.sent ?? 0))
    return {
      audience,
      sent: bands.reduce((sum, n) => sum + n, 0),
      bands,
      retried: own.reduce((sum, { retried }) => sum + Number(retried), 0),
      failed: failed.filter(task => audienceOf(task) === audience).length,
    }
  })
}
