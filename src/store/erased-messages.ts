/** Messages whose people were erased since: files of them may still be there. */
import { type Kysely, sql } from 'kysely'
import type { ErasedMessage } from './erasure.ts'
import type { Schema, TaskKind } from './schema.ts'

/** In which table a message has what it is about. */
const ABOUT: Partial<Record<TaskKind, 'submissions' | 'leads' | 'timeline'>> = {
  ...{ notify: 'submissions', receipt: 'submissions', account: 'submissions' },
  ...{ step: 'leads', resume: 'leads', news: 'timeline', message: 'timeline' },
}

/**
 * Those of the messages, named by the kind and the subject of their tasks, whose task is there, but not what it was
 * about. Without a task, a message is of another database, or of a time after the backup that was restored.
 */
export async function listErasedMessages(
  db: Kysely<Schema>,
  messages: readonly { kind: string; subject: number }[],
): Promise<ErasedMessage[]> {
  const erased: ErasedMessage[] = []
  for (const [kind, group] of Map.groupBy(messages, one => one.kind as TaskKind)) {
    const table = ABOUT[kind]
    if (table === undefined) continue
    const rows = await db
      .selectFrom('tasks')
      .select('subject')
      .distinct()
      .where('kind', '=', kind)
      .where(
        'subject',
        'in',
        group.map(({ subject }) => subject),
      )
      .where(sql<boolean>`not exists (select 1 from ${sql.table(table)} where id = tasks.subject)`)
      .execute()
    erased.push(...rows.map(({ subject }) => ({ kind, subject })))
  }
  return erased
}
