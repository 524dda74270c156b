/** Messages of the outbox with the leads that they are about, for the console's *Delivery* page. */
import type { Kysely } from 'kysely'
import { anyOf } from '../tables/any-of.ts'
import type { Schema } from '../tables/schema.ts'
import { type Subject, subjectOf } from '../tables/task-kinds.ts'
import type { Task } from '../tasks/tasks.ts'
import { listMail, type MailPosition, type MailState } from './outbox.ts'

export type DeliveryRow = {
  task: Task
  /** The lead that the message is about; null if there is none, or it was erased. */
  lead: { id: number; name: string; email: string | null } | null
}

/** Messages in one state, in the order of `listMail`. */
export async function listDelivery(
  db: Kysely<Schema>,
  filter: { state: MailState; before?: MailPosition | undefined; limit: number },
): Promise<DeliveryRow[]> {
  return withLeads(db, await listMail(db, filter))
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
