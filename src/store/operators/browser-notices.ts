/**
 * Queries on notices: what an operator gets in the browser or in the next morning's digest, instead of as a separate
 * email. A notice points to the task whose message it replaces.
 */
import type { Kysely, Selectable } from 'kysely'
import type { Morning } from '../../follow-up/school-mornings.ts'
import { DAY } from '../../platform/time.ts'
import { addDaily } from '../outbox/outbox.ts'
import { anyOf } from '../tables/any-of.ts'
import type { Schema } from '../tables/schema.ts'
import { type AuditEntry, audited, changeAudited } from './audit-log.ts'
import { isSignedIn } from './sessions.ts'

/** How an operator gets the notices that would otherwise be emails. */
export type NoticeWay = Schema['notice_choices']['email']

export type NoticeChoices = {
  email: NoticeWay
  /** Whether their browser notifies them of new leads without a counselor. */
  unassigned: boolean
  /** The hours between which browsers get no notices, in the school's time zone; none if both are equal. */
  quietFrom: number
  quietTo: number
}

export const usualChoices: NoticeChoices = { email: 'at once', unassigned: false, quietFrom: 20, quietTo: 8 }

/** A browser in which an operator wants to be notified. */
export type PushSubscription = { id: number; endpoint: string; browser: string; createdAt: number }

export const MOST_SUBSCRIPTIONS = 10

/** Someone who may be notified, with their choices. */
export type Recipient = {
  operatorId: number
  emailKey: string
  choices: NoticeChoices
  subscriptions: PushSubscription[]
  /** Whether they are signed in somewhere. Otherwise, a browser can only say that something is new. */
  signedIn: boolean
}

export async function readNoticeChoices(db: Kysely<Schema>, operatorId: number): Promise<NoticeChoices> {
  const row = await db.selectFrom('notice_choices').selectAll().where('operator_id', '=', operatorId).executeTakeFirst()
  return row === undefined ? usualChoices : asChoices(row)
}

const asChoices = (row: Schema['notice_choices']): NoticeChoices => ({
  email: row.email,
  unassigned: row.unassigned === 1,
  quietFrom: row.quiet_from,
  quietTo: row.quiet_to,
})

export async function saveNoticeChoices(
  db: Kysely<Schema>,
  operatorId: number,
  { email, unassigned, quietFrom, quietTo }: NoticeChoices,
  audit: readonly AuditEntry[] = [],
): Promise<void> {
  const values = {
    email,
    unassigned: unassigned ? (1 as const) : (0 as const),
    quiet_from: quietFrom,
    quiet_to: quietTo,
  }
  await audited(db, audit, async tx => {
    await tx
      .insertInto('notice_choices')
      .values({ operator_id: operatorId, ...values })
      .onConflict(oc => oc.column('operator_id').doUpdateSet(values))
      .execute()
  })
}

/** The operators who have chosen something or have a browser that is notified, unless they are disabled. */
export async function listRecipients(db: Kysely<Schema>, now: number): Promise<Recipient[]> {
  const operators = await db
    .selectFrom('operators')
    .select(['id', 'email_key'])
    .select(isSignedIn(now))
    .where('disabled_at', 'is', null)
    .where(eb =>
      eb.or([
        eb('id', 'in', eb.selectFrom('notice_choices').select('operator_id')),
        eb('id', 'in', eb.selectFrom('push_subscriptions').select('operator_id')),
      ]),
    )
    .orderBy('id')
    .execute()
  const chosen = await db.selectFrom('notice_choices').selectAll().execute()
  const choices = new Map(chosen.map(row => [row.operator_id, asChoices(row)]))
  const browsers = await db.selectFrom('push_subscriptions').selectAll().orderBy('id').execute()
  const subscriptions = Map.groupBy(browsers, row => row.operator_id)
  return operators.map(({ id, email_key, signed_in }) => ({
    operatorId: id,
    emailKey: email_key,
    choices: choices.get(id) ?? usualChoices,
    subscriptions: (subscriptions.get(id) ?? []).map(asSubscription),
    signedIn: Boolean(signed_in),
  }))
}

export async function listPushSubscriptions(db: Kysely<Schema>, operatorId: number): Promise<PushSubscription[]> {
  const rows = await db
    .selectFrom('push_subscriptions')
    .selectAll()
    .where('operator_id', '=', operatorId)
    .orderBy('id')
    .execute()
  return rows.map(asSubscription)
}

const asSubscription = ({
  id,
  endpoint,
  browser,
  created_at: createdAt,
}: Selectable<Schema['push_subscriptions']>): PushSubscription => ({ id, endpoint, browser, createdAt })

/**
 * Adds a browser, by the URL at which its maker accepts messages for it. If someone else signed in with it before, it
 * now belongs only to this operator. Returns false if the operator has too many.
 */
export async function addPushSubscription(
  db: Kysely<Schema>,
  operatorId: number,
  { endpoint, browser, now }: Pick<PushSubscription, 'endpoint' | 'browser'> & { now: number },
  audit: readonly AuditEntry[] = [],
): Promise<boolean> {
  const others = await listPushSubscriptions(db, operatorId)
  const isNew = others.every(one => one.endpoint !== endpoint)
  if (isNew && others.length >= MOST_SUBSCRIPTIONS) return false
  const values = { operator_id: operatorId, browser, created_at: now }
  await audited(db, audit, async tx => {
    await tx
      .insertInto('push_subscriptions')
      .values({ endpoint, ...values })
      .onConflict(oc => oc.column('endpoint').doUpdateSet(values))
      .execute()
  })
  return true
}

/** Removes a browser: by its URL if its maker does not know it anymore, or an operator's browser by its id. */
export async function removePushSubscription(
  db: Kysely<Schema>,
  which: { endpoint: string } | { operatorId: number; id: number },
  audit: readonly AuditEntry[] = [],
): Promise<void> {
  await changeAudited(db, audit, tx => {
    const query = tx.deleteFrom('push_subscriptions')
    return 'endpoint' in which
      ? query.where('endpoint', '=', which.endpoint)
      : query.where('id', '=', which.id).where('operator_id', '=', which.operatorId)
  })
}

/** How long notices are kept, in milliseconds. */
const KEPT = 30 * DAY

/**
 * Adds a notice, once, even if this is called again; returns whether it is new. With `digest`, a future morning, the
 * notice is in that morning's digest. The same transaction schedules the digest, so that no notice is forgotten.
 */
export async function addNotice(
  db: Kysely<Schema>,
  operatorId: number,
  { taskId, digest, now }: { taskId: number; digest?: Morning | undefined; now: number },
): Promise<boolean> {
  return db.transaction().execute(async tx => {
    await tx
      .deleteFrom('notices')
      .where('operator_id', '=', operatorId)
      .where('at', '<', now - KEPT)
      .where('daily', '=', 0)
      .execute()
    const added = await tx
      .insertInto('notices')
      .values({ operator_id: operatorId, task_id: taskId, at: now, daily: 0 })
      .onConflict(oc => oc.columns(['operator_id', 'task_id']).doNothing())
      .returning('id')
      .executeTakeFirst()
    if (digest) {
      await tx
        .updateTable('notices')
        .set({ daily: 1 })
        .where('operator_id', '=', operatorId)
        .where('task_id', '=', taskId)
        .where('daily', '=', 0)
        .execute()
      await addDaily(tx, operatorId, { ...digest, now })
    }
    return added !== undefined
  })
}

export type Notice = { taskId: number; at: number }

/** The notices of an operator since a moment, the latest first. */
export async function listNotices(
  db: Kysely<Schema>,
  operatorId: number,
  { since, limit }: { since: number; limit: number },
): Promise<Notice[]> {
  const rows = await db
    .selectFrom('notices')
    .select(['task_id', 'at'])
    .where('operator_id', '=', operatorId)
    .where('at', '>=', since)
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
  return rows.map(({ task_id: taskId, at }) => ({ taskId, at }))
}

/**
 * The notices for the digest of a day, the oldest first: those that an earlier attempt took, so that each attempt lists
 * the same. If there are none, takes all that no other digest will list: digests of several days may be due at the same
 * time, and carried out by different processes. No clock decides about that.
 */
export async function takeDailyNotices(db: Kysely<Schema>, operatorId: number, day: number): Promise<Notice[]> {
  return db.transaction().execute(async tx => {
    const taken = tx
      .selectFrom('notices')
      .select(['task_id', 'at'])
      .where('operator_id', '=', operatorId)
      .where('daily', '=', day)
      .orderBy('id')
    let rows = await taken.execute()
    if (rows.length === 0) {
      const notConcluded = tx
        .selectFrom('tasks')
        .select('subject')
        .where('kind', '=', 'daily')
        .where('step', '=', operatorId)
        .where('state', '=', 'due')
      await tx
        .updateTable('notices')
        .set({ daily: day })
        .where('operator_id', '=', operatorId)
        .where('daily', '>', 0)
        .where('daily', 'not in', notConcluded)
        .execute()
      rows = await taken.execute()
    }
    return rows.map(({ task_id: taskId, at }) => ({ taskId, at }))
  })
}

/**
 * Schedules the next digest of an operator if a notice waits for one, or was in one that was not sent yet. If the
 * operator is disabled, it waits until a notice comes after they are enabled again. Safe to call twice.
 */
export async function continueDaily(
  db: Kysely<Schema>,
  operatorId: number,
  next: Morning & { now: number },
): Promise<void> {
  await db.transaction().execute(async tx => {
    const waits = await tx
      .selectFrom('notices')
      .innerJoin('operators', 'operators.id', 'notices.operator_id')
      .select('notices.id')
      .where('operator_id', '=', operatorId)
      .where('operators.disabled_at', 'is', null)
      .where('daily', '>', 0)
      .limit(1)
      .executeTakeFirst()
    if (waits) await addDaily(tx, operatorId, next)
  })
}

/** Records that a digest was sent that replaces the messages of these tasks. */
export async function endDailyNotices(
  db: Kysely<Schema>,
  operatorId: number,
  taskIds: readonly number[],
): Promise<void> {
  await db
    .updateTable('notices')
    .set({ daily: 0 })
    .where('operator_id', '=', operatorId)
    .where('task_id', 'in', anyOf(taskIds))
    .execute()
}
