/** Recording sent messages, several in one transaction: while one commit is under way, the next are collected. */
import { type Kysely, sql, type Transaction } from 'kysely'
import { addEntries } from '../leads/timeline.ts'
import { countSent } from '../outbox/delivery-health.ts'
import type { Schema } from '../tables/schema.ts'
import { isToPerson, subjectOf } from '../tables/task-kinds.ts'
import { NO_LEASE, type Task } from '../tasks/tasks.ts'

/** A message that the mail server has accepted: its claimed task, the name of its recipient, and the moment. */
export type SentMail = { task: Task; to: string; now: number }

/**
 * Concludes the tasks of messages that the mail server has accepted, and records each in the timeline of its lead.
 * Returns for each, in order, whether its claim was still held. If not, nothing changes for it.
 */
export async function recordSent(db: Kysely<Schema>, messages: readonly SentMail[]): Promise<boolean[]> {
  return db.transaction().execute(async tx => {
    // Leads are locked before tasks, as everywhere.
    const leads = await lockLeadsOf(
      tx,
      messages.filter(({ task }) => subjectOf(task.kind) === 'submission'),
    )
    const concluded = await conclude(tx, messages)
    const recorded = messages.filter(({ task }) => concluded.has(task))
    for (const { task } of recorded) await deleteForwarded(tx, task)
    const entries = recorded.flatMap(({ task, to, now }) => {
      const lead = subjectOf(task.kind) === 'submission' ? leads.get(task.subject) : undefined
      const mail = task.kind === 'notify' ? { to } : {}
      const about = { submissionId: task.subject, detail: task.kind, mail }
      return lead === undefined ? [] : { ...lead, at: now, kind: 'email' as const, ...about }
    })
    await addEntries(tx, entries)
    await countSent(tx, recorded)
    return messages.map(({ task }) => concluded.has(task))
  })
}

/** Where an email about a submission is recorded: with the submission, where it stays if the lead is unmerged. */
type Place = { leadId: number; mergedFrom: number | undefined }

/** Locks the leads that messages are about, so that no one erases them meanwhile; returns them by submission. */
async function lockLeadsOf(tx: Transaction<Schema>, messages: readonly SentMail[]): Promise<Map<number, Place>> {
  if (messages.length === 0) return new Map()
  const rows = await tx
    .selectFrom('timeline as e')
    .innerJoin('leads as l', 'l.id', 'e.lead_id')
    .select(['l.id', 'e.submission_id', 'e.merged_from'])
    .where(
      'e.submission_id',
      'in',
      messages.map(({ task }) => task.subject),
    )
    .where('e.kind', '=', sql.lit('submission'))
    .orderBy('l.id')
    .forKeyShare('l')
    .execute()
  return new Map(
    rows.map(row => [Number(row.submission_id), { leadId: row.id, mergedFrom: row.merged_from ?? undefined }]),
  )
}

/**
 * Concludes the tasks whose claims are still held, and returns them. All claims are locked at once, since locking lane
 * by lane would lock tasks in a different order than elsewhere. The note says who at the school got the message: if the
 * lead changes hands and the message is rendered again, it would name the new person.
 */
async function conclude(tx: Transaction<Schema>, messages: readonly SentMail[]): Promise<Set<Task>> {
  const tasks = messages.map(({ task }) => task)
  const claims = await tx
    .selectFrom('tasks')
    .select(['id', 'lease_token'])
    .where(
      'id',
      'in',
      tasks.map(({ id }) => id),
    )
    .where('state', '=', sql.lit('due'))
    .orderBy('id')
    .forUpdate()
    .execute()
  const tokens = new Map(claims.map(row => [row.id, row.lease_token]))
  const held = messages.filter(({ task }) => tokens.get(task.id) === task.lease_token)
  for (const [note, group] of Map.groupBy(held, ({ task, to }) => (isToPerson(task) ? null : to)))
    await tx
      .updateTable('tasks')
      .set({ state: 'done', note, finished_at: messages[0]?.now ?? 0, ...NO_LEASE })
      .where(
        'id',
        'in',
        group.map(({ task }) => task.id),
      )
      .execute()
  return new Set(held.map(({ task }) => task))
}

/** Deletes forwarded mail: the team has it, and it is still in the mailbox. */
async function deleteForwarded(tx: Kysely<Schema>, task: { kind: string; subject: number }): Promise<void> {
  if (task.kind === 'forward') await tx.deleteFrom('stray_mail').where('id', '=', task.subject).execute()
  if (task.kind === 'strays') await tx.deleteFrom('stray_mail').where('listed_on', '=', task.subject).execute()
}
