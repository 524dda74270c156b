/** Messages about people who were erased since: captured emails of them may still exist. */
import { type Kysely, sql } from 'kysely'
import type { Schema } from '../tables/schema.ts'
import { type Subject, subjectOf } from '../tables/task-kinds.ts'
import { subjectsByKind } from '../tasks/tasks.ts'
import type { ErasedTask } from './erasure.ts'

/** The tables of what messages are about. A stray mail is deleted once it is forwarded, without being erased. */
const TABLES: Partial<Record<Subject, 'submissions' | 'leads' | 'timeline'>> = {
  submission: 'submissions',
  lead: 'leads',
  entry: 'timeline',
}

/**
 * The messages among these whose task still exists although its subject is gone. Messages are named by the kind and the
 * subject of their tasks. A message without a task belongs to another database, or was sent after the backup that was
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
