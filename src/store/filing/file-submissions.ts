/**
 * The queries of filing, which turns submissions into leads. A batch is one transaction. Each part of it is done only
 * while the claim on its task is held, so nothing is filed twice.
 */
import { type Kysely, sql, type Transaction } from 'kysely'
import { TEXT_MEMORY } from '../../leads/body/screening.ts'
import { type SubmissionRow, submissionColumns } from '../leads/submission-row.ts'
import { addDigest, type DigestOfDay } from '../outbox/outbox.ts'
import type { Schema } from '../tables/schema.ts'
import { type ClaimedTask, finishTasks, renewTasks, type Task } from '../tasks/tasks.ts'
import { fileInGroups } from './file-group.ts'
import type { Filing } from './filing-decision.ts'
import { notificationRoom } from './gathered-notifications.ts'
import { filingIn } from './join-merged-lead.ts'
import { forgetTexts } from './message-texts.ts'
import type { Staffing } from './owner-assignment.ts'
import { expireQuarantine, trimQuarantine } from './quarantine-expiry.ts'
import type { QuarantineLimits } from './quarantined-submissions.ts'

/** A submission that is not filed yet. Its body is not parsed yet, since it may be unreadable. */
export type UnfiledSubmission = { row: SubmissionRow; released: boolean }

/**
 * The first `limit` submissions of claimed filing tasks that are still to be filed: not part of a lead, not
 * quarantined, and without a task of their own. This holds even after a crash in the middle.
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
        // This expression is not indexed, on purpose: if few tasks were due lately, PostgreSQL would go through all due
        // tasks for each submission.
        .on(sql`t.state || ''`, '=', 'due')
        .on(
          't.id',
          'not in',
          tasks.map(task => task.id),
        ),
    )
    .select(submissionColumns)
    .select('q.state as held')
    .where('t.id', 'is', null)
    .where(eb => eb.or(rangesOf(tasks).map(([first, last]) => eb.between('s.id', first, last))))
    // Ids from another commit may lie between the ids from this one.
    .where(eb => eb.or([eb('s.batch', 'is', null), eb('s.batch', 'in', subjects), eb('s.id', 'in', subjects)]))
    .where('e.id', 'is', null)
    .where(eb => eb.or([eb('q.state', 'is', null), eb('q.state', '=', 'released')]))
    .orderBy('s.id')
    .limit(limit)
    .execute()
  return rows.map(({ held, ...row }) => ({ row, released: held === 'released' }))
}

/** The ranges of ids that tasks are about, with adjacent ranges merged. */
function rangesOf(tasks: readonly Pick<Task, 'subject' | 'through'>[]): [number, number][] {
  const ranges: [number, number][] = []
  for (const { subject, through } of tasks.toSorted((one, other) => one.subject - other.subject)) {
    const last = ranges.at(-1)
    if (last !== undefined && subject <= last[1] + 1) last[1] = Math.max(last[1], through ?? subject)
    else ranges.push([subject, through ?? subject])
  }
  return ranges
}

export type FilingOptions = {
  now: number
  quarantine: QuarantineLimits
  /** The digests that will list the quarantined submissions. */
  digest: Omit<DigestOfDay, 'kind'>
  staffing: Staffing
  /** How many notifications go out as separate emails in ten minutes; the others are gathered. Default: all. */
  notificationsAtOnce?: number
  /** Whether these submissions are the last ones of the tasks, which are then finished. Default: false. */
  finish?: boolean
}

/**
 * Files some of the submissions of claimed tasks: each becomes part of a lead, or is quarantined. Either all are filed
 * or none, and only while every claim is held. The same transaction renews the claims or, with `finish`, finishes the
 * tasks. Returns false, and files nothing, if a claim was lost.
 */
export async function fileSubmissions(
  db: Kysely<Schema>,
  tasks: readonly ClaimedTask[],
  filings: readonly Filing[],
  { now, quarantine, digest, staffing, notificationsAtOnce, finish = false }: FilingOptions,
): Promise<boolean> {
  const attempt = async (tx: Transaction<Schema>) => {
    if (!(await renewTasks(tx, tasks, now))) return false
    const room =
      notificationsAtOnce === undefined ? filings.length : await notificationRoom(tx, notificationsAtOnce, now)
    const { quarantined } = await fileInGroups(tx, filings, { room, staffing, now })
    for (const kind of quarantined) await addDigest(tx, { ...digest, kind, now })
    if (quarantined.size > 0) {
      await expireQuarantine(tx, now, quarantine)
      await trimQuarantine(tx, now, quarantine)
    }
    if (finish) await finishTasks(tx, tasks, now)
    return true
  }
  const filed = await filingIn(db, attempt)
  await forgetTexts(db, now - TEXT_MEMORY)
  return filed
}
