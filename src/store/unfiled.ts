/** Queries on what waits to be filed, and on what filing must know to decide. */
import { type Kysely, sql } from 'kysely'
import { emailKey } from '../leads/email.ts'
import type { Schema } from './schema.ts'
import type { SubmissionRow } from './submission-row.ts'
import type { Task } from './tasks.ts'

/** A submission that was accepted and is not part of a lead yet, unread: one may be unreadable. */
export type UnfiledSubmission = { row: SubmissionRow; released: boolean }

/**
 * The first `limit` submissions of claimed filing tasks that are not part of a lead, not held, and
 * not set aside for a task of their own: what is left to do, also after a crash in the middle.
 */
export async function readUnfiled(
  db: Kysely<Schema>,
  tasks: readonly Task[],
  limit: number,
): Promise<UnfiledSubmission[]> {
  const subjects = tasks.map(task => task.subject)
  const rows = await db
    .selectFrom('submissions as s')
    .leftJoin('quarantine as q', 'q.submission_id', 's.id')
    .leftJoin('timeline as e', join =>
      join.onRef('e.submission_id', '=', 's.id').on('e.kind', '=', sql.lit('submission')),
    )
    .leftJoin('tasks as t', join =>
      join
        .onRef('t.subject', '=', 's.id')
        .on('t.kind', '=', sql.lit('refile'))
        .on('t.state', '=', sql.lit('due'))
        .on(
          't.id',
          'not in',
          tasks.map(task => task.id),
        ),
    )
    .select(['s.id', 's.kind', 's.received_at', 's.answer', 's.body', 'q.state as held'])
    .where('t.id', 'is', null)
    .where(eb => eb.or(rangesOf(tasks).map(([first, last]) => eb.between('s.id', first, last))))
    // Between the ids of one commit may lie those of another.
    .where(eb =>
      eb.or([eb('s.batch', 'is', null), eb('s.batch', 'in', subjects), eb('s.id', 'in', subjects)]),
    )
    .where('e.id', 'is', null)
    .where(eb => eb.or([eb('q.state', 'is', null), eb('q.state', '=', 'released')]))
    .orderBy('s.id')
    .limit(limit)
    .execute()
  return rows.map(({ held, ...row }) => ({ row, released: held === 'released' }))
}

/** The ranges of ids that tasks are about, neighbours made one. */
function rangesOf(tasks: readonly Pick<Task, 'subject' | 'through'>[]): [number, number][] {
  const ranges: [number, number][] = []
  for (const { subject, through } of tasks.toSorted((one, other) => one.subject - other.subject)) {
    const last = ranges.at(-1)
    if (last !== undefined && subject <= last[1] + 1)
      last[1] = Math.max(last[1], through ?? subject)
    else ranges.push([subject, through ?? subject])
  }
  return ranges
}

/**
 * For each digest of a message's text, how many different addresses sent it since `since`, the
 * given ones included.
 */
export async function countTextAddresses(
  db: Kysely<Schema>,
  texts: { digest: string; email: string }[],
  since: number,
): Promise<Map<string, number>> {
  const seen = await db
    .selectFrom('message_texts')
    .select(['digest', 'email_key'])
    .where(
      'digest',
      'in',
      texts.map(text => text.digest),
    )
    .where('seen_at', '>', since)
    .limit(1000)
    .execute()
  const addresses = new Map<string, Set<string>>()
  for (const { digest, email_key } of [
    ...seen,
    ...texts.map(text => ({ digest: text.digest, email_key: emailKey(text.email) })),
  ]) {
    addresses.set(digest, (addresses.get(digest) ?? new Set()).add(email_key))
  }
  return new Map([...addresses].map(([digest, keys]) => [digest, keys.size]))
}
