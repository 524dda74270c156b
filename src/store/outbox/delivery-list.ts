/** Messages of the outbox with the leads that they are about, for the console's *Delivery* page. */
import { type Kysely, sql } from 'kysely'
import { anyOf } from '../tables/any-of.ts'
import type { Schema } from '../tables/schema.ts'
import { type Subject, subjectOf } from '../tables/task-kinds.ts'
import type { Task } from '../tasks/tasks.ts'
import { listMail, type MailState, mailLanes } from './outbox.ts'

export type DeliveryRow = {
  task: Task
  /** The lead that the message is about; null if there is none, or it was erased. */
  lead: { id: number; name: string; email: string | null } | null
}

/**
 * Messages in one state, from below the message `before` (an id): those that were sent, the latest first; all others,
 * the newest first.
 */
export async function listDelivery(
  db: Kysely<Schema>,
  filter: { state: MailState; before?: number | undefined; limit: number },
): Promise<DeliveryRow[]> {
  return withLeads(db, await (filter.state === 'sent' ? listSent(db, filter) : listMail(db, filter)))
}

async function listSent(
  db: Kysely<Schema>,
  { before, limit }: { before?: number | undefined; limit: number },
): Promise<Task[]> {
  let query = db
    .selectFrom('tasks')
    .selectAll()
    // As the index `tasks_sent` has it, word for word: otherwise SQLite does not use it.
    .where('state', '=', sql.lit('done'))
    .where(
      'lane',
      'in',
      mailLanes.map(lane => sql.lit(lane)),
    )
    // A step that was done without an email is not a message.
    .where(eb => eb.or([eb('lane', 'not in', ['follow-up', 'letters']), eb('begun_at', 'is not', null)]))
  if (before !== undefined)
    query = query.where(sql<boolean>`(finished_at, id) < (select finished_at, id from tasks where id = ${before})`)
  return query.orderBy('finished_at', 'desc').orderBy('id', 'desc').limit(limit).execute()
}

/** Adds to each of these messages its lead. */
export async function withLeads(db: Kysely<Schema>, tasks: Task[]): Promise<DeliveryRow[]> {
  const subjects = (about: Subject) =>
    anyOf(tasks.flatMap(({ kind, subject }) => (subjectOf(kind) === about ? subject : [])))
  const filed = await db
    .selectFrom('timeline')
    .select(['submission_id', 'lead_id'])
    .where('kind', '=', 'submission')
    .where('submission_id', 'in', subjects('submission'))
    .execute()
  const entries = await db
    .selectFrom('timeline')
    .select(['id', 'lead_id'])
    .where('id', 'in', subjects('entry'))
    .execute()
  const bySubmission = new Map(filed.map(row => [row.submission_id, row.lead_id]))
  const byEntry = new Map(entries.map(row => [row.id, row.lead_id]))
  const leadOf = ({ kind, subject }: Task): number | undefined => {
    const about = subjectOf(kind)
    if (about === 'lead') return subject
    if (about === 'entry') return byEntry.get(subject)
    return about === 'submission' ? bySubmission.get(subject) : undefined
  }
  const leads = await db
    .selectFrom('leads')
    .select(['id', 'first_name', 'last_name', 'email'])
    .where('id', 'in', anyOf(tasks.flatMap(task => leadOf(task) ?? [])))
    .execute()
  const known = new Map(
    leads.map(({ id, first_name, last_name, email }) => [id, { id, name: `${first_name} ${last_name}`, email }]),
  )
  return tasks.map(task => ({ task, lead: known.get(leadOf(task) ?? 0) ?? null }))
}
