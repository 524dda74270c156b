/** Deletes finished tasks that nothing needs anymore. Tasks about a lead stay as long as the lead exists. */
import { type ExpressionBuilder, type Kysely, sql } from 'kysely'
import type { Schema } from '../tables/schema.ts'
import { kindsAbout, type Subject } from '../tables/task-kinds.ts'

/** The table of each subject; null for subjects without a table, such as a day. */
const TABLES: Record<Subject, keyof Schema | null> = {
  submission: 'submissions',
  submissions: null,
  lead: 'leads',
  entry: 'timeline',
  'stray mail': 'stray_mail',
  'erasure request': 'erasure_requests',
  'operator link': 'operator_links',
  'audit entry': 'audit_log',
  'hand-over': 'hand_overs',
  import: 'imports',
  delivery: 'deliveries',
  alarm: 'alarms',
  'nightly export': 'nightly_exports',
  day: null,
}

/**
 * Looks at the `limit` tasks after the id `after`. Deletes tasks that filed the submissions of one commit if they were
 * finished before `filedBefore`. Deletes tasks that were finished before `before` if what they are about is no longer
 * stored: an email about someone who was erased, the digest of a day. Returns the id of the last of the `limit` tasks;
 * undefined if there are no more. Safe to interrupt, and safe to call in several processes at once.
 */
export async function expireTasks(
  db: Kysely<Schema>,
  { after, filedBefore, before, limit }: { after: number; filedBefore: number; before: number; limit: number },
): Promise<number | undefined> {
  const ids = await db.selectFrom('tasks').select('id').where('id', '>', after).orderBy('id').limit(limit).execute()
  const last = ids.at(-1)?.id
  if (last === undefined) return undefined
  await db
    .deleteFrom('tasks')
    .where('id', '>', after)
    .where('id', '<=', last)
    .where('state', 'in', ['done', 'skipped'])
    .where(eb => eb.or([isFiled(eb, filedBefore), eb.and([eb('finished_at', '<', before), isAboutNothing(eb)])]))
    .execute()
  return ids.length < limit ? undefined : last
}

const isFiled = (eb: ExpressionBuilder<Schema, 'tasks'>, before: number) =>
  eb.and([eb('kind', '=', sql.lit('file')), eb('finished_at', '<', before)])

const isAboutNothing = (eb: ExpressionBuilder<Schema, 'tasks'>) =>
  eb.or(
    (Object.keys(TABLES) as Subject[]).map(subject => {
      const table = TABLES[subject]
      const isOfKind = eb('kind', 'in', kindsAbout(subject))
      if (table === null) return isOfKind
      return eb.and([
        isOfKind,
        sql<boolean>`not exists (select 1 from ${sql.table(table)} where ${sql.ref(`${table}.id`)} = tasks.subject)`,
      ])
    }),
  )
