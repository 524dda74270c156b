/** Queries on submissions that were accepted but cannot be filed, for the people who look after them. */
import type { Kysely, SelectQueryBuilder } from 'kysely'
import type { Kind } from '../../leads/body/submission.ts'
import type { Schema } from '../tables/schema.ts'
import type { Task } from '../tasks/tasks.ts'
import { isDismissed, isUnfileable } from '../tasks/unfileable.ts'

/** The submission as it was stored, not parsed: it may be unreadable. */
export type UnfiledEntry = {
  id: number
  kind: Kind
  receivedAt: number
  body: string
  form: string | null
  /** Why the last attempt failed, or why it was dismissed. */
  note: string
  /** When it is tried again automatically; null if it was dismissed. */
  dueAt: number | null
  attempts: number
  dismissedAt: number | null
}

/** The newest first, from below the id `before`: those that wait or, with `dismissed`, those that someone dismissed. */
export async function listUnfiled(
  db: Kysely<Schema>,
  {
    dismissed = false,
    kind,
    before,
    limit,
  }: { dismissed?: boolean; kind?: Kind | undefined; before?: number | undefined; limit: number },
): Promise<UnfiledEntry[]> {
  let tasks = db
    .selectFrom('tasks')
    .selectAll()
    .where(dismissed ? isDismissed : isUnfileable)
  if (before !== undefined) tasks = tasks.where('subject', '<', before)
  if (kind !== undefined)
    tasks = tasks.where('subject', 'in', eb => eb.selectFrom('submissions').select('id').where('kind', '=', kind))
  return (await withSubmissions(db, tasks.orderBy('subject', 'desc').limit(limit)).execute()).map(asEntry)
}

export async function readUnfiledEntry(db: Kysely<Schema>, id: number): Promise<UnfiledEntry | undefined> {
  const tasks = db.selectFrom('tasks').selectAll().where(isUnfileable).where('subject', '=', id)
  const row = await withSubmissions(db, tasks).executeTakeFirst()
  return row && asEntry(row)
}

const withSubmissions = (db: Kysely<Schema>, tasks: SelectQueryBuilder<Schema, 'tasks', Task>) =>
  db
    .selectFrom(tasks.as('t'))
    .innerJoin('submissions as s', 's.id', 't.subject')
    .select(['s.id', 's.kind', 's.received_at', 's.body', 's.form'])
    .select(['t.note', 't.due_at', 't.attempts', 't.finished_at'])
    .orderBy('s.id', 'desc')

type Row = Awaited<ReturnType<ReturnType<typeof withSubmissions>['execute']>>[number]

const asEntry = (row: Row): UnfiledEntry => ({
  id: row.id,
  kind: row.kind,
  receivedAt: row.received_at,
  body: row.body,
  form: row.form,
  note: row.note ?? '',
  dueAt: row.finished_at === null ? row.due_at : null,
  attempts: row.attempts,
  dismissedAt: row.finished_at,
})
