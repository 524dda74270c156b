/** Messages about people who were erased since: captured emails of them may still exist. */
import { type Kysely, sql } from 'kysely'
import type { ErasedMessage } from './erasure.ts'
import type { Schema, TaskKind } from './schema.ts'
import { subjectsByKind } from './tasks.ts'

/** The table that has what a message is about, by the kind of its task. */
const ABOUT: Partial<Record<TaskKind, 'submissions' | 'leads' | 'timeline'>> = {
  ...{ notify: 'submissions', receipt: 'submissions', account: 'submissions' },
  ...{ step: 'leads', resume: 'leads', news: 'timeline', message: 'timeline' },
}

/**
 * The messages among these, named by the kind and the subject of their tasks, whose task exists, but not what it was
 * about. Without a task, a message is of another database, or of a time after the backup that was restored.
 */
export async function listErasedMessages(
  db: Kysely<Schema>,
  messages: readonly { kind: string; subject: number }[],
): Promise<ErasedMessage[]> {
  const erased: ErasedMessage[] = []
  for (const [kind, subjects] of subjectsByKind(messages as readonly ErasedMessage[])) {
    const table = ABOUT[kind]
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
