/**
 * Alarms: admins get an email when a problem begins, and another when it is over. An alarm is stored until it has
 * ended, so several processes, or a restarted process, report it only once.
 */
import { type Kysely, type Selectable, sql, type Transaction } from 'kysely'
import { TO_NO_OPERATOR } from '../outbox/mail-steps.ts'
import { addMails } from '../outbox/outbox.ts'
import type { Schema } from '../tables/schema.ts'

export type Alarm = Selectable<Schema['alarms']>

/** `cause` names what the alarm is about. There is at most one alarm for each cause at a time. */
export type NewAlarm = Pick<Alarm, 'cause' | 'title' | 'text' | 'path' | 'since'>

/** Notifies the admins, unless they already were and the alarm is not over yet. Returns whether the alarm is new. */
export const raiseAlarm = (db: Kysely<Schema>, alarm: NewAlarm, now: number): Promise<boolean> =>
  db.transaction().execute(tx => addAlarm(tx, alarm, now))

/** Does the same within the transaction of the change that causes the alarm. */
export async function addAlarm(tx: Transaction<Schema>, alarm: NewAlarm, now: number): Promise<boolean> {
  const added = await tx
    .insertInto('alarms')
    .values({ ...alarm, raised_at: now })
    .onConflict(oc => oc.doNothing())
    .returning('id')
    .executeTakeFirst()
  if (added === undefined) {
    const open = tx.updateTable('alarms').where('cause', '=', alarm.cause).where('ended_at', 'is', null)
    await open.set({ fine_since: null }).where('fine_since', 'is not', null).execute()
    return false
  }
  const admins = await tx
    .selectFrom('operators')
    .select('id')
    .where('role', '=', 'admin')
    .where('disabled_at', 'is', null)
    .orderBy('id')
    .execute()
  const steps = admins.length === 0 ? [TO_NO_OPERATOR] : admins.map(({ id }) => id)
  const mails = steps.map(step => ({ kind: 'alarm' as const, subject: added.id, step }))
  await addMails(tx, mails, now)
  return true
}

/**
 * Records that the cause of an alarm is gone. The alarm is over once the cause has been gone for `after` milliseconds,
 * so trouble that comes and goes is one alarm. Returns whether the alarm is over.
 */
export async function settleAlarm(
  db: Kysely<Schema>,
  cause: string,
  { now, after }: { now: number; after: number },
): Promise<boolean> {
  return db.transaction().execute(async tx => {
    const { fine_since: fineSince = null } = (await findOpen(tx, cause)) ?? {}
    // A clock that was set back must not keep the alarm going for long.
    if (fineSince !== null && Math.abs(now - fineSince) >= after) return endAlarm(tx, cause, now)
    const open = tx.updateTable('alarms').where('cause', '=', cause).where('ended_at', 'is', null)
    await open.set({ fine_since: now }).where('fine_since', 'is', null).execute()
    return false
  })
}

/** Ends the alarm of a cause, and notifies the people who were notified of it. Returns whether there was one. */
export async function endAlarm(tx: Transaction<Schema>, cause: string, now: number): Promise<boolean> {
  const ended = await tx
    .updateTable('alarms')
    .set(eb => ({ ended_at: now, fine_since: eb.fn.coalesce('fine_since', eb.val(now)) }))
    .where('cause', '=', cause)
    .where('ended_at', 'is', null)
    .returning('id')
    .executeTakeFirst()
  if (ended === undefined) return false
  const told = await emailsAbout(tx, ended.id)
  await addMails(
    tx,
    told.map(({ step }) => ({ kind: 'alarm-over' as const, subject: ended.id, step })),
    now,
  )
  return true
}

const findOpen = (db: Kysely<Schema>, cause: string) =>
  db
    .selectFrom('alarms')
    .selectAll()
    .where('cause', '=', cause)
    .where('ended_at', 'is', null)
    .forUpdate()
    .executeTakeFirst()

const emailsAbout = (db: Kysely<Schema>, id: number) =>
  db.selectFrom('tasks').select(['id', 'step']).where('kind', '=', sql.lit('alarm')).where('subject', '=', id).execute()

/** The alarms that are not over, each with the operators who were notified, and the tasks of their emails. */
export async function listAlarms(
  db: Kysely<Schema>,
): Promise<(Alarm & { told: { taskId: number; operatorId: number }[] })[]> {
  const open = await db.selectFrom('alarms').selectAll().where('ended_at', 'is', null).orderBy('id').execute()
  return Promise.all(
    open.map(async alarm => {
      const emails = await emailsAbout(db, alarm.id)
      return { ...alarm, told: emails.map(({ id, step }) => ({ taskId: id, operatorId: step })) }
    }),
  )
}

export async function readAlarm(db: Kysely<Schema>, id: number): Promise<Alarm | undefined> {
  return db.selectFrom('alarms').selectAll().where('id', '=', id).executeTakeFirst()
}

/** Deletes alarms that were over before a moment. Returns false: it deletes all of them at once. */
export async function expireAlarms(db: Kysely<Schema>, { before }: { before: number }): Promise<boolean> {
  await db.deleteFrom('alarms').where('ended_at', '<', before).execute()
  return false
}
