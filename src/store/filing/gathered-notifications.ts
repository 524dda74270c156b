/**
 * Notifications beyond the limit of separate emails. Each is a task of its own; the one that is claimed first sends one
 * email for all of them. If that email fails, none of them is lost.
 */
import { type Kysely, sql, type Transaction } from 'kysely'
import type { Kind } from '../../leads/body/submission.ts'
import { MINUTE } from '../../platform/time.ts'
import { addEntry } from '../leads/timeline.ts'
import { stepOfGathered } from '../outbox/mail-steps.ts'
import type { NewMessage } from '../outbox/outbox.ts'
import type { Schema } from '../tables/schema.ts'
import { hasNoClaim, NO_LEASE, type Task } from '../tasks/tasks.ts'
import { inTurns } from './fair-turns.ts'

/** Notifications are counted for this long, in milliseconds; the ones beyond the limit are gathered. */
const GATHERED_FOR = 10 * MINUTE

/** How many more notifications may go out as separate emails now, if the limit is `most` in ten minutes. */
export async function notificationRoom(tx: Transaction<Schema>, most: number, now: number): Promise<number> {
  const newest = await tx
    .selectFrom('tasks')
    .select('created_at')
    .where('kind', '=', sql.lit('notify'))
    .orderBy('subject', 'desc')
    .limit(most)
    .execute()
  return most - newest.filter(({ created_at }) => created_at > now - GATHERED_FOR).length
}

/** The notification of a submission that is gathered with others until the ten minutes are over. */
export const gatheredMail = ({ id, kind }: { id: number; kind: Kind }, now: number): NewMessage => {
  const dueAt = (Math.floor(now / GATHERED_FOR) + 1) * GATHERED_FOR
  return { kind: 'notify', subject: id, dueAt, step: stepOfGathered(kind) }
}

/**
 * The notifications that a claimed task gathers, including its own, with at most `limit` submissions to show. Undefined
 * if another task has sent the email, or a claimed task with a lower id will send it.
 */
export async function readGathered(
  db: Kysely<Schema>,
  task: Pick<Task, 'id' | 'step'>,
  { now, limit }: { now: number; limit: number },
): Promise<
  | {
      /** The tasks that the one email covers. */
      tasks: number[]
      /** The submissions that it shows; the networks that sent them take turns. */
      shown: number[]
    }
  | undefined
> {
  const rows = await db
    .selectFrom('tasks')
    .innerJoin('submissions as s', 's.id', 'tasks.subject')
    .select(['tasks.id', 'tasks.subject', 's.client_address'])
    .select(eb => eb.case().when(hasNoClaim(now)(eb)).then(1).else(0).end().as('free'))
    .where('lane', '=', sql.lit('mail'))
    .where('state', '=', sql.lit('due'))
    .where('tasks.kind', '=', sql.lit('notify'))
    .where('step', '=', task.step)
    // A task with a note has been tried before, or has waited for another task.
    .where(eb => eb.or([eb('due_at', '<=', now), eb('note', 'is not', null)]))
    .orderBy('tasks.id')
    .execute()
  const another = rows.some(({ id, free }) => id < task.id && free === 0)
  if (another || rows.every(({ id }) => id !== task.id)) return undefined
  const shown = inTurns(rows).slice(0, limit)
  return { tasks: rows.map(({ id }) => id), shown: shown.map(({ subject }) => subject) }
}

const BATCH = 200

/** Concludes the tasks of the notifications in an email, and records the email in the timelines of their leads. */
export async function recordGathered(
  db: Kysely<Schema>,
  tasks: readonly number[],
  { to, now }: { to: string; now: number },
): Promise<void> {
  for (let i = 0; i < tasks.length; i += BATCH) {
    const batch = tasks.slice(i, i + BATCH)
    await db.transaction().execute(async tx => {
      // Leads are locked before tasks, as everywhere.
      const leads = await tx
        .selectFrom('tasks as t')
        .innerJoin('timeline as e', 'e.submission_id', 't.subject')
        .innerJoin('leads as l', 'l.id', 'e.lead_id')
        .select(['l.id', 't.subject'])
        .where('t.id', 'in', batch)
        .where('e.kind', '=', sql.lit('submission'))
        .orderBy('l.id')
        .forKeyShare('l')
        .execute()
      const concluded = await tx
        .updateTable('tasks')
        .set({ state: 'done', note: to, finished_at: now, ...NO_LEASE })
        .where('id', 'in', batch)
        .where('state', '=', sql.lit('due'))
        .returning('subject')
        .execute()
      const sent = new Set(concluded.map(({ subject }) => subject))
      for (const { id, subject } of leads.filter(lead => sent.has(lead.subject)))
        await addEntry(tx, id, { at: now, kind: 'email', submissionId: subject, detail: 'notify', mail: { to } })
    })
  }
}
