/** Messages about people who have been erased: captured copies of these emails may still exist. */
import { type Kysely, sql } from 'kysely'
import type { Schema } from '../tables/schema.ts'
import { type Subject, subjectOf } from '../tables/task-kinds.ts'
import { subjectsByKind } from '../tasks/tasks.ts'
import type { ErasedTask } from './erasure.ts'

/**
 * The tables of the subjects of messages. Stray mail is not among them: it is deleted when it is forwarded, although no
 * one was erased.
 */
const TABLES: Partial<Record<Subject, 'submissions' | 'leads' | 'timeline'>> = {
  submission: 'submissions',
  lead: 'leads',
  entry: 'timeline',
}

/**
 * The messages whose task still exists although its subject is gone. A message is identified by the kind and the
 * subject of its task. A message without a task belongs to another database, or was sent after the backup that was
 * restored.
 */
export async function listErasedMessages(
  db: Kysely<Schema>,
  messages: readonly { kind: string; subject: number }[],
): Promise<ErasedTask[]> {
  const erased: ErasedTask[] = []
  for (const [kind, subjects] of subjectsByKind(messages as readonly ErasedTask[])) {
    const about = subjectOf(kind)
    const table = about && TABLES[about]
    if (table === undefined) continue
    const rows = await db
      .selectFrom('tasks')
      .select('subject')
      .distinct()
      .where('kind', '=', kind)
      .where('subject', 'in', subjects)
      .where(sql<boolean>`not exists (select 1 from ${sql.table(table)} where id = tasks.subject)`)
      .execute()
    erased.push(...rows.map(({ subject }) => ({ kind, subject })))
  }
  return erased
}
