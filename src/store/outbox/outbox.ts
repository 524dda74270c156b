/** Queries on the outbox: the tasks that send a message, in all lanes that have such tasks (`mailLanes`). */
import { type Expression, type ExpressionBuilder, type Kysely, type SqlBool, sql, type Transaction } from 'kysely'
import type { Morning } from '../../follow-up/school-mornings.ts'
import type { Kind } from '../../leads/body/submission.ts'
import type { Schema } from '../tables/schema.ts'
import type { MessageKind, TaskKind } from '../tables/task-kinds.ts'
import { BEGINS_AGAIN, type Task } from '../tasks/tasks.ts'
import { stepOfTeam } from './mail-steps.ts'

/** The last message of a page: when it was concluded (0 if it was not), and its id. It may be gone by then. */
export type MailPosition = { at: number; id: number }

export type MessageKey = Pick<Task, 'kind' | 'subject' | 'step'>

/** The quarantine digest of one kind of submission, on a day (yyyymmdd). */
export type DigestOfDay = { kind: Kind; day: number; dueAt: number }

/**
 * Schedules a quarantine digest, once, even if this is called again. If it was sent or skipped before its day's hour,
 * on request or because a clock was ahead, it is due again at that hour.
 */
export async function addDigest(
  db: Kysely<Schema>,
  { kind, day, dueAt, now }: DigestOfDay & { now: number },
): Promise<void> {
  const step = stepOfTeam('digest', kind)
  await addMail(db, 'digest', day, { step, dueAt, now })
  await beginAgain(db, { kind: 'digest', subject: day, step }, { dueAt, now })
}

/**
 * Schedules the report of a week, by its number, for a future time: only once, even if this is called again. If a clock
 * that was ahead has concluded it, it is due again.
 */
export async function addReport(
  db: Kysely<Schema>,
  { week, dueAt, now }: { week: number; dueAt: number; now: number },
): Promise<void> {
  await addMail(db, 'report', week, { dueAt, now })
  await beginAgain(db, { kind: 'report', subject: week, step: 0 }, { dueAt, now })
}

/**
 * Schedules the daily digest of an operator for a morning: only once, even if this is called again. If it was sent
 * before its time, on request, it is due again.
 */
export async function addDaily(
  db: Kysely<Schema>,
  operatorId: number,
  { day, at: dueAt, now }: Morning & { now: number },
): Promise<void> {
  await addMail(db, 'daily', day, { step: operatorId, dueAt, now })
  await beginAgain(db, { kind: 'daily', subject: day, step: operatorId }, { dueAt, now })
}

/** Makes a message that was concluded begin again. */
export async function beginAgain(
  db: Kysely<Schema>,
  { kind, subject, step }: MessageKey,
  { dueAt, now }: { dueAt: number; now: number },
): Promise<void> {
  await db
    .updateTable('tasks')
    // As a new message, with its own Message-ID, since many mailboxes drop a message that they already have.
    .set({ ...BEGINS_AGAIN, due_at: dueAt, scheduled_at: now, created_at: now })
    .where('kind', '=', kind)
    .where('subject', '=', subject)
    .where('step', '=', step)
    .where('state', 'in', ['done', 'skipped'])
    .execute()
}

/**
 * Adds a message to the outbox, once, even if this is called again. With `skip`, only records that it was not sent, and
 * why. If several people get it, each gets a message of their own, with its own `step`.
 */
export async function addMail(
  db: Kysely<Schema>,
  kind: MessageKind,
  subject: number,
  { now, ...message }: { now: number } & MessageTerms,
): Promise<void> {
  await addMails(db, [{ kind, subject, ...message }], now)
}

type MessageTerms = { dueAt?: number; step?: number; skip?: string | undefined }

export type NewMessage = { kind: MessageKind; subject: number } & MessageTerms

/** Does the same for several messages. */
export async function addMails(db: Kysely<Schema>, messages: readonly NewMessage[], now: number): Promise<void> {
  if (messages.length === 0) return
  await db
    .insertInto('tasks')
    .values(
      messages.map(({ kind, subject, dueAt = 0, step = 0, skip }) => ({
        lane: laneOf(kind),
        kind,
        subject,
        step,
        through: null,
        due_at: dueAt,
        state: skip === undefined ? 'due' : 'skipped',
        attempts: 0,
        note: skip ?? null,
        created_at: now,
        finished_at: skip === undefined ? null : now,
      })),
    )
    .onConflict(oc => oc.columns(['kind', 'subject', 'step']).doNothing())
    .execute()
}

/** Messages that no one expects within minutes. They have a separate lane, so that they do not delay notifications. */
const IN_REPORTS: readonly TaskKind[] = [
  'imported',
  'report',
  'daily',
  'hand-over',
  'erasure',
  'retention',
  // An alarm may be about the lane of other messages, so it is not in that lane.
  'alarm',
  'alarm-over',
]

const laneOf = (kind: MessageKind) => (IN_REPORTS.includes(kind) ? 'reports' : 'mail')

/** The lead that a submission is about, even if that lead was merged into another since. */
export async function leadOfSubmission(db: Kysely<Schema>, submissionId: number) {
  const row = await db
    .selectFrom('timeline')
    .select(eb => eb.fn.coalesce('merged_from', 'lead_id').as('lead_id'))
    .where('submission_id', '=', submissionId)
    .where('kind', '=', sql.lit('submission'))
    .executeTakeFirst()
  return row?.lead_id
}

const taskState = {
  queued: 'due',
  retrying: 'due',
  sent: 'done',
  failed: 'dead',
  acknowledged: 'dead',
  skipped: 'skipped',
} as const

export type MailState = keyof typeof taskState

/** Every message is in one of these states. */
export const mailStates = Object.keys(taskState) as MailState[]

/**
 * Messages of the outbox and of the cadences, from below the position `before`: those that were sent, the latest first;
 * all others, the newest first.
 */
export async function listMail(
  db: Kysely<Schema>,
  filter: { state?: MailState | undefined; before?: MailPosition | undefined; limit: number },
): Promise<Task[]> {
  if (filter.state === 'sent') return listSent(db, filter)
  const tasks = await listLane(db, 'mail', filter)
  // Most messages are in the lane `mail`. Once they fill the page, older messages of other lanes are left out: without
  // an index, finding them would read every task.
  const above = tasks.length < filter.limit ? undefined : tasks.at(-1)?.id
  const rest = { ...filter, above }
  for (const lane of ['messages', 'reports'] as const) tasks.push(...(await listLane(db, lane, rest)))
  const states = filter.state === undefined ? mailStates : [filter.state]
  for (const lane of ['follow-up', 'letters'] as const)
    for (const state of states) tasks.push(...(await listLane(db, lane, { ...rest, state })))
  return tasks.sort((one, other) => other.id - one.id).slice(0, filter.limit)
}

async function listSent(
  db: Kysely<Schema>,
  { before, limit }: { before?: MailPosition | undefined; limit: number },
): Promise<Task[]> {
  const query = sentMail(db).selectAll().orderBy('finished_at', 'desc').orderBy('id', 'desc').limit(limit)
  if (before === undefined) return query.execute()
  return query.where(sql<boolean>`(finished_at, id) < (${before.at}, ${before.id})`).execute()
}

/** When the last message went out, of those until a moment; null if none did. Unix milliseconds. */
export async function lastSentAt(db: Kysely<Schema>, until: number): Promise<number | null> {
  const query = sentMail(db).select('finished_at').where('finished_at', '<=', until).orderBy('finished_at', 'desc')
  return (await query.limit(1).executeTakeFirst())?.finished_at ?? null
}

const sentMail = (db: Kysely<Schema>) =>
  db
    .selectFrom('tasks')
    // Word for word as in the index `tasks_sent`: otherwise, SQLite does not use it.
    .where('state', '=', sql.lit('done'))
    .where(
      'lane',
      'in',
      mailLanes.map(lane => sql.lit(lane)),
    )
    // A step that was done without an email is not a message.
    .where(eb => eb.or([eb('lane', 'not in', ['follow-up', 'letters']), eb('begun_at', 'is not', null)]))

/** The lanes of tasks that send a message. */
export const mailLanes = ['mail', 'messages', 'reports', 'follow-up', 'letters'] as const

/** One message, or step of a cadence, by the id of its task; undefined if there is none. */
export async function readMail(db: Kysely<Schema>, id: number): Promise<Task | undefined> {
  return db.selectFrom('tasks').selectAll().where('id', '=', id).where('lane', 'in', mailLanes).executeTakeFirst()
}

async function listLane(
  db: Kysely<Schema>,
  lane: (typeof mailLanes)[number],
  { state, before, above, limit }: Parameters<typeof listMail>[1] & { above?: number | undefined },
): Promise<Task[]> {
  let query = db.selectFrom('tasks').selectAll().where('lane', '=', lane)
  if (state !== undefined) query = query.where('state', '=', sql.lit(taskState[state]))
  if (state === 'queued') query = query.where('note', 'is', null)
  if (state === 'retrying') query = query.where('note', 'is not', null)
  if (state === 'failed') query = query.where('acknowledged_at', 'is', null)
  if (state === 'acknowledged') query = query.where('acknowledged_at', 'is not', null)
  // A step is not a message until the first attempt to send it.
  if (lane === 'follow-up' || lane === 'letters') query = query.where('begun_at', 'is not', null)
  if (before !== undefined) query = query.where('id', '<', before.id)
  if (above !== undefined) query = query.where('id', '>', above)
  return query.orderBy('id', 'desc').limit(limit).execute()
}

/** Whether a message was given up and no one has acknowledged that: a condition on tasks. */
export const isFailed = (eb: ExpressionBuilder<Schema, 'tasks'>): Expression<SqlBool> =>
  eb.and([eb('state', '=', sql.lit('dead')), eb('lane', 'in', mailLanes), eb('acknowledged_at', 'is', null)])

export function mailStateOf(task: Task): MailState {
  if (task.state === 'due') return task.note === null ? 'queued' : 'retrying'
  if (task.state === 'dead') return task.acknowledged_at === null ? 'failed' : 'acknowledged'
  return task.state === 'done' ? 'sent' : 'skipped'
}

/** Marks a message that was sent as given up, since it came back. Returns false if it counts as given up already. */
export async function markUndelivered(
  tx: Transaction<Schema>,
  { kind, subject, step, note }: MessageKey & { note: string },
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('tasks')
    .set({ state: 'dead', note })
    .where('kind', '=', kind)
    .where('subject', '=', subject)
    .where('step', '=', step)
    .where('state', '=', 'done')
    .executeTakeFirst()
  return numUpdatedRows > 0n
}
