/**
 * Queries of filing: what a submission becomes. All of one batch happens in one transaction, and
 * each part only while the claim on its task is held, so that nothing is filed twice.
 */
import { type Kysely, sql, type Transaction } from 'kysely'
import { emailKey } from '../leads/email.ts'
import { TEXT_MEMORY } from '../leads/screening.ts'
import type { Submission } from '../leads/submission.ts'
import { DAY } from '../platform/time.ts'
import { type CadenceStart, joinOrOpenLead } from './join-or-open-lead.ts'
import type { Person } from './leads.ts'
import { forgetTexts, saveText } from './message-texts.ts'
import { addDigest, addMail } from './outbox.ts'
import { assignOwners, type Staffing, type UnassignedLead } from './owner-assignment.ts'
import { expireQuarantine, type QuarantineLimits, trimQuarantine } from './quarantine.ts'
import type { Schema } from './schema.ts'
import type { SubmissionRow } from './submission-row.ts'
import { readSuppression } from './suppressions.ts'
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
    .select(['s.id', 's.kind', 's.received_at', 's.answer', 's.body', 'q.state as held'])
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

/** What becomes of one submission. */
export type Filing = {
  submission: Pick<Submission, 'id' | 'kind' | 'receivedAt'>
  /** Whether someone released it from quarantine. */
  released: boolean
  signals: string[]
  textDigest: string | undefined
} & (QuarantineFiling | LeadFiling)

/** For a submission that is quarantined, and the digest that will list it. */
type QuarantineFiling = {
  quarantineReason: 'honeypot' | 'screening'
  email: string
  digest: { day: number; dueAt: number }
}

/** For a submission that becomes part of a lead. */
type LeadFiling = {
  person: Person
  /** Why no receipt is sent, if that is known already. */
  noReceipt: string | undefined
  /** The hash of the address. */
  addressHash: string
  /**
   * Whether the learning site has an account for the address. `revealed`: the response told the
   * sender. `concealed`: only an email to the address tells.
   */
  account: 'none' | 'revealed' | 'concealed'
  cadenceStart: CadenceStart | null
}

export type FilingOptions = {
  now: number
  quarantine: QuarantineLimits
  staffing: Staffing
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
  { now, quarantine, staffing, finish = false }: FilingOptions,
): Promise<boolean> {
  const filed = await db.transaction().execute(async tx => {
    if (!(await renewTasks(tx, tasks, now))) return false
    const unowned: UnassignedLead[] = []
    for (const filing of inOrderOfLocks(filings)) {
      if ('quarantineReason' in filing) await addToQuarantine(tx, filing, now)
      else unowned.push(...(await addToLead(tx, filing, now)))
      if (filing.textDigest !== undefined) {
        const text = { digest: filing.textDigest, email: emailOf(filing) }
        await saveText(tx, { ...text, seenAt: filing.submission.receivedAt })
      }
    }
    await assignOwners(tx, unowned, staffing, now)
    const quarantined = filings.find(filing => 'quarantineReason' in filing)
    if (quarantined !== undefined) {
      await addDigest(tx, { ...quarantined.digest, now })
      await expireQuarantine(tx, now, quarantine)
      await trimQuarantine(tx, quarantine)
    }
    if (finish) await finishTasks(tx, tasks, now)
    return true
  })
  await forgetTexts(db, now - TEXT_MEMORY)
  return filed
}

/** A receipt goes to one address at most this often, in milliseconds. */
const RECEIPT_INTERVAL = DAY

/** Every process files in the order of the addresses, so that no two wait for each other's leads. */
const inOrderOfLocks = (filings: readonly Filing[]): Filing[] =>
  filings.toSorted((one, other) => {
    const [key, otherKey] = [keyOf(one), keyOf(other)]
    if (key === otherKey) return one.submission.id - other.submission.id
    return key < otherKey ? -1 : 1
  })

const emailOf = (filing: Filing): string =>
  'quarantineReason' in filing ? filing.email : filing.person.email

const keyOf = (filing: Filing): string => emailKey(emailOf(filing))

async function addToQuarantine(
  tx: Transaction<Schema>,
  filing: Filing & QuarantineFiling,
  now: number,
) {
  await tx
    .insertInto('quarantine')
    .values({
      submission_id: filing.submission.id,
      reason: filing.quarantineReason,
      email_key: keyOf(filing),
      signals: filing.signals.join(','),
      state: 'held',
      held_at: now,
      decided_at: null,
    })
    .onConflict(oc => oc.doNothing())
    .execute()
}

/** Returns the lead if it is new and needs an owner. */
async function addToLead(
  tx: Transaction<Schema>,
  filing: Filing & LeadFiling,
  now: number,
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
  if (!filing.released) await dismissEarlier(tx, submission, person.email, now)
  await addMail(tx, 'notify', submission.id, { now })
  if (submission.kind === 'site') return []
  await addReceipt(tx, filing, now)
  return opened ? [{ id, email: person.email, state: person.state }] : []
}

/** What the student gets at once: a receipt, or the email about their account if that is concealed. */
async function addReceipt(tx: Transaction<Schema>, filing: Filing & LeadFiling, now: number) {
  const { submission, person, addressHash, account } = filing
  const revealed =
    account === 'revealed' ? 'the response told the sender about their account' : undefined
  const suppression = await readSuppression(tx, addressHash)
  const skip =
    filing.noReceipt ??
    revealed ??
    (suppression && `this address is suppressed: ${suppression.reason}`) ??
    (await recentReceipt(tx, person.email, now))
  await addMail(tx, account === 'concealed' ? 'account' : 'receipt', submission.id, { now, skip })
}

/**
 * Dismisses what the honeypot rejected from a person who has now got through: no one needs to look at
 * it any more. A submission that was answered with 200 stays in quarantine.
 */
async function dismissEarlier(
  tx: Transaction<Schema>,
  submission: Filing['submission'],
  email: string,
  now: number,
) {
  if (submission.kind !== 'site') return
  await tx
    .updateTable('quarantine')
    .set({ state: 'dismissed', decided_at: now })
    .where('email_key', '=', emailKey(email))
    .where('state', '=', sql.lit('held'))
    .where('reason', '=', 'honeypot')
    .where('submission_id', '<', submission.id)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('submissions')
          .select('id')
          .whereRef('id', '=', 'quarantine.submission_id')
          .where('answer', '=', sql.lit(400)),
      ),
    )
    .execute()
}

async function recentReceipt(tx: Transaction<Schema>, email: string, now: number) {
  const leads = tx
    .selectFrom('leads')
    .select('id')
    .where('email_key', '=', emailKey(email))
    .where('kind', '=', 'student')
  const submissions = tx
    .selectFrom('timeline')
    .select('submission_id')
    .where('kind', '=', sql.lit('submission'))
    .where('lead_id', 'in', leads)
  // As a join, SQLite would start with all receipts there are.
  const recent = await tx
    .selectFrom('tasks')
    .select('id')
    .where('kind', 'in', ['receipt', 'account'])
    .where('state', '<>', 'skipped')
    .where('created_at', '>', now - RECEIPT_INTERVAL)
    .where('subject', 'in', submissions.$castTo<{ submission_id: number }>())
    .limit(1)
    .executeTakeFirst()
  return recent ? 'this address got a receipt less than a day before' : undefined
}
