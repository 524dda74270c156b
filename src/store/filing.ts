/**
 * Queries of filing: what a submission becomes. All of one batch happens in one transaction, and
 * each part only while the claim on its task is held, so that nothing is filed twice.
 */
import { type Kysely, sql, type Transaction } from 'kysely'
import { emailKey } from '../leads/email.ts'
import { TEXT_MEMORY } from '../leads/screening.ts'
import { indexedWords } from '../leads/search-words.ts'
import type { Kind } from '../leads/submission.ts'
import type { Filing, LeadFiling } from './filing-decision.ts'
import { addGathered, notificationRoom } from './gathered-notifications.ts'
import { joinOrOpenLead } from './join-or-open-lead.ts'
import { saveWords } from './lead-words.ts'
import { forgetTexts, saveText } from './message-texts.ts'
import { addDigest, addMail, type DigestOfDay } from './outbox.ts'
import { assignOwners, type Staffing, type UnassignedLead } from './owner-assignment.ts'
import { expireQuarantine, type QuarantineLimits, trimQuarantine } from './quarantine.ts'
import { addToQuarantine, dismissRepeated, isOneOfMany } from './quarantine-filing.ts'
import { addReceipt } from './receipts.ts'
import type { Schema } from './schema.ts'
import type { SubmissionRow } from './submission-row.ts'
import { type ClaimedTask, finishTasks, renewTasks, type Task } from './tasks.ts'
import { addEntry } from './timeline.ts'

/** A submission that is not filed yet. Its body is not parsed yet, since one may be unreadable. */
export type UnfiledSubmission = { row: SubmissionRow; released: boolean }

/**
 * The first `limit` submissions of claimed filing tasks that are still to be filed: not part of a
 * lead, not quarantined, and without a task of their own. So it is also after a crash in the middle.
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
    .select(['s.id', 's.kind', 's.received_at', 's.answer', 's.body', 's.form', 'q.state as held'])
    .where('t.id', 'is', null)
    .where(eb => eb.or(rangesOf(tasks).map(([first, last]) => eb.between('s.id', first, last))))
    // Ids of another commit may lie between those of this one.
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

/** The ranges of ids that tasks are about, with adjacent ranges merged. */
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

export type FilingOptions = {
  now: number
  quarantine: QuarantineLimits
  /** The digests that will list what is quarantined. */
  digest: Omit<DigestOfDay, 'kind'>
  staffing: Staffing
  /** How many notifications go out one by one in ten minutes; the others are gathered. Default: all. */
  notificationsAtOnce?: number
  /** Whether these submissions are the last of the tasks, which are then done. Default: false. */
  finish?: boolean
}

/**
 * Files some of the submissions of claimed tasks: each becomes part of a lead, or is quarantined.
 * All or nothing, and only while every claim is held: the claims are renewed, or with `finish` the
 * tasks are finished in the same transaction. Returns false, and files nothing, when a claim was lost.
 */
export async function fileSubmissions(
  db: Kysely<Schema>,
  tasks: readonly ClaimedTask[],
  filings: readonly Filing[],
  { now, quarantine, digest, staffing, notificationsAtOnce, finish = false }: FilingOptions,
): Promise<boolean> {
  const filed = await db.transaction().execute(async tx => {
    if (!(await renewTasks(tx, tasks, now))) return false
    const unowned: UnassignedLead[] = []
    const quarantined = new Set<Kind>()
    let room =
      notificationsAtOnce === undefined
        ? filings.length
        : await notificationRoom(tx, notificationsAtOnce, now)
    for (const filing of inOrderOfLocks(filings)) {
      const { submission, textDigest, email } = filing
      if ('quarantineReason' in filing) {
        await addToQuarantine(tx, filing, filing.quarantineReason, now)
        quarantined.add(submission.kind)
      } else if (await isOneOfMany(tx, filing)) {
        await addToQuarantine(tx, filing, 'many', now)
        quarantined.add(submission.kind)
      } else {
        unowned.push(...(await addToLead(tx, filing, { gathered: room-- <= 0, now })))
      }
      if (textDigest !== undefined)
        await saveText(tx, { digest: textDigest, email, seenAt: submission.receivedAt })
    }
    await assignOwners(tx, unowned, staffing, now)
    for (const kind of quarantined) await addDigest(tx, { ...digest, kind, now })
    if (quarantined.size > 0) {
      await expireQuarantine(tx, now, quarantine)
      await trimQuarantine(tx, quarantine)
    }
    if (finish) await finishTasks(tx, tasks, now)
    return true
  })
  await forgetTexts(db, now - TEXT_MEMORY)
  return filed
}

/** Every process files in the order of the addresses, so that no two wait for each other's leads. */
const inOrderOfLocks = (filings: readonly Filing[]): Filing[] =>
  filings.toSorted((one, other) => {
    const [key, otherKey] = [emailKey(one.email), emailKey(other.email)]
    if (key === otherKey) return one.submission.id - other.submission.id
    return key < otherKey ? -1 : 1
  })

/** Returns the lead if it is new and needs an owner. */
async function addToLead(
  tx: Transaction<Schema>,
  filing: Filing & LeadFiling,
  { gathered, now }: { gathered: boolean; now: number },
): Promise<UnassignedLead[]> {
  const { submission, person, cadenceStart } = filing
  const account = filing.account !== 'none'
  const { id, opened } = await joinOrOpenLead(tx, submission, person, {
    cadenceStart,
    account,
    now,
  })
  await addEntry(tx, id, {
    at: submission.receivedAt,
    kind: 'submission',
    submissionId: submission.id,
    detail: filing.signals.join(','),
  })
  await saveWords(tx, id, indexedWords(person, [submission.body]), { opened })
  if (!filing.released) await dismissRepeated(tx, filing, now)
  if (gathered) await addGathered(tx, submission, now)
  else await addMail(tx, 'notify', submission.id, { now })
  if (submission.kind === 'site') return []
  await addReceipt(tx, filing, now)
  return opened ? [{ id, email: person.email, state: person.state }] : []
}
