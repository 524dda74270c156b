/** Recognizing our own messages, when a reply or a bounce refers to them. */
import type { Kysely } from 'kysely'
import { readEntry } from '../leads/timeline.ts'
import { leadOfSubmission, type MessageKey } from '../outbox/outbox.ts'
import type { Schema } from '../tables/schema.ts'
import { isToPerson, subjectOf } from '../tables/task-kinds.ts'
import type { Task } from '../tasks/tasks.ts'

/**
 * One of our messages: the lead that it was about, or null for a message such as a digest; when its task was created;
 * when it was sent; and whether it went to the student.
 */
export type SentMessage = { leadId: number | null; createdAt: number; sentAt: number; toStudent: boolean }

/** Finds one of our messages; undefined if its task or its lead is gone. */
export async function findMessage(
  db: Kysely<Schema>,
  { kind, subject, step }: MessageKey,
): Promise<SentMessage | undefined> {
  const task = await db
    .selectFrom('tasks')
    .select(['lane', 'created_at', 'begun_at', 'finished_at'])
    .where('kind', '=', kind)
    .where('subject', '=', subject)
    .where('step', '=', step)
    .executeTakeFirst()
  if (task === undefined) return undefined
  const leadId = await leadOf(db, kind, subject)
  if (leadId === undefined) return undefined
  const toStudent = isToPerson({ kind, lane: task.lane })
  const sentAt = task.finished_at ?? task.begun_at ?? task.created_at
  return { leadId, createdAt: task.created_at, sentAt, toStudent }
}

/** The lead that a message was about when it was sent; undefined if that lead is gone, null if there was none. */
async function leadOf(db: Kysely<Schema>, kind: Task['kind'], subject: number): Promise<number | null | undefined> {
  const about = subjectOf(kind)
  if (about === 'submission') return leadOfSubmission(db, subject)
  if (about === 'entry') {
    const entry = await readEntry(db, subject)
    return entry?.mergedFrom ?? entry?.leadId
  }
  if (about !== 'lead') return null
  const lead = await db.selectFrom('leads').select('id').where('id', '=', subject).executeTakeFirst()
  return lead?.id
}
