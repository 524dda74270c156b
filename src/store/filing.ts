/**
 * Queries of filing: what a submission becomes. All of one batch happens in one transaction, and
 * each part only while the claim on its task is held, so that nothing is filed twice.
 */
import { type Kysely, sql, type Transaction } from 'kysely'
import { emailKey } from '../leads/email.ts'
import { TEXT_MEMORY } from '../leads/screening.ts'
import type { Kind, Submission } from '../leads/submission.ts'
import { addDigest, addMail } from './outbox.ts'
import { expireQuarantine, type QuarantineLimits, trimQuarantine } from './quarantine.ts'
import type { Schema } from './schema.ts'
import type { SubmissionRow } from './submission-row.ts'
import { type ClaimedTask, renewTasks, type Task } from './tasks.ts'

/** A receipt goes to one address at most this often, in milliseconds. */
const RECEIPT_INTERVAL = 24 * 3_600_000

/** A submission that was accepted and is not part of a lead yet, unread: one may be unreadable. */
export type Unfiled = { row: SubmissionRow; released: boolean }

/** What becomes of one submission. */
export type Filing = {
  submission: Pick<Submission, 'id' | 'kind' | 'receivedAt'>
  /** Whether somebody let it out of quarantine. */
  released: boolean
  signals: string[]
  textDigest: string | undefined
} & (
  | { hold: 'honeypot' | 'screening'; email: string; digest: { day: number; dueAt: number } }
  | { person: Person }
)

/** What the lead of a submission is made from. */
export type Person = {
  email: string
  firstName: string
  lastName: string
  phone: string
  phoneE164: string | undefined
  company: string | undefined
  state: string | undefined
  /** Why no receipt is sent, where none is. */
  noReceipt: string | undefined
}

/**
 * The first `limit` submissions of claimed filing tasks that are not part of a lead, not held, and
 * not set aside for a task of their own: what is left to do, also after a crash in the middle.
 */
export async function readUnfiled(
  db: Kysely<Schema>,
  tasks: readonly Task[],
  limit: number,
): Promise<Unfiled[]> {
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

/**
 * Files some of the submissions of claimed tasks: each becomes part of a lead, or is held in
 * quarantine. All or nothing, and only while every claim is held, which is renewed. Returns false,
 * and changes nothing, when one was lost.
 */
export async function fileSubmissions(
  db: Kysely<Schema>,
  tasks: readonly ClaimedTask[],
  filings: readonly Filing[],
  { now, quarantine }: { now: number; quarantine: QuarantineLimits },
): Promise<boolean> {
  return db.transaction().execute(async tx => {
    if (!(await renewTasks(tx, tasks, now))) return false
    for (const filing of filings) {
      if (filing.textDigest !== undefined) await rememberText(tx, filing, filing.textDigest)
      if ('hold' in filing) await hold(tx, filing, now, quarantine)
      else await addToLead(tx, filing, filing.person, now)
    }
    await tx
      .deleteFrom('message_texts')
      .where('seen_at', '<=', now - TEXT_MEMORY)
      .execute()
    return true
  })
}

/** Has one submission filed again on its own, at `dueAt`; 0 is at once. */
export async function refile(
  db: Kysely<Schema>,
  submissionId: number,
  { dueAt, note, now }: { dueAt: number; note: string | null; now: number },
): Promise<void> {
  await db
    .insertInto('tasks')
    .values({
      lane: 'filing',
      kind: 'refile',
      subject: submissionId,
      through: null,
      due_at: dueAt,
      state: 'due',
      attempts: 0,
      lease_until: null,
      lease_token: null,
      note,
      created_at: now,
      finished_at: null,
    })
    .onConflict(oc =>
      oc
        .columns(['kind', 'subject'])
        .doUpdateSet({ state: 'due', due_at: dueAt, note, created_at: now, finished_at: null }),
    )
    .execute()
}

async function rememberText(tx: Transaction<Schema>, filing: Filing, digest: string) {
  const email_key = emailKey('hold' in filing ? filing.email : filing.person.email)
  const seen_at = filing.submission.receivedAt
  await tx
    .insertInto('message_texts')
    .values({ digest, email_key, seen_at })
    .onConflict(oc => oc.columns(['digest', 'email_key']).doUpdateSet({ seen_at }))
    .execute()
}

async function hold(
  tx: Transaction<Schema>,
  filing: Extract<Filing, { hold: string }>,
  now: number,
  limits: QuarantineLimits,
) {
  await tx
    .insertInto('quarantine')
    .values({
      submission_id: filing.submission.id,
      reason: filing.hold,
      email_key: emailKey(filing.email),
      signals: filing.signals.join(','),
      state: 'held',
      held_at: now,
      decided_at: null,
    })
    .onConflict(oc => oc.doNothing())
    .execute()
  await expireQuarantine(tx, now, limits)
  await trimQuarantine(tx, limits)
  await addDigest(tx, { ...filing.digest, now })
}

async function addToLead(tx: Transaction<Schema>, filing: Filing, person: Person, now: number) {
  const { submission } = filing
  const leadId =
    (await joinOpenLead(tx, submission.kind, person, now)) ??
    (await openLead(tx, filing, person, now))
  await tx
    .insertInto('timeline')
    .values({
      lead_id: leadId,
      at: submission.receivedAt,
      kind: 'submission',
      submission_id: submission.id,
      detail: filing.signals.join(','),
    })
    .execute()
  if (!filing.released) await dismissEarlier(tx, submission, person.email, now)
  await addMail(tx, 'notify', submission.id, { now })
  if (submission.kind === 'student') {
    const skip = person.noReceipt ?? (await recentReceipt(tx, person.email, now))
    await addMail(tx, 'receipt', submission.id, { now, skip })
  }
}

/** A person who has now got through need not be looked at in quarantine any more. */
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
    .where('state', '=', 'held')
    .where('reason', '=', 'honeypot')
    .where('submission_id', '<', submission.id)
    .execute()
}

/** A further submission never overwrites contact data: anybody could send one. */
async function joinOpenLead(tx: Transaction<Schema>, kind: Kind, person: Person, now: number) {
  const joined = await tx
    .updateTable('leads')
    .set({ updated_at: now })
    .where('email_key', '=', emailKey(person.email))
    .where('kind', '=', kind)
    .where('stage', '<>', 'closed')
    .returning('id')
    .executeTakeFirst()
  return joined?.id
}

async function openLead(
  tx: Transaction<Schema>,
  { submission }: Filing,
  person: Person,
  now: number,
) {
  await tx
    .insertInto('leads')
    .values({
      id: submission.id,
      kind: submission.kind,
      stage: 'new',
      closed_reason: null,
      email: person.email,
      email_key: emailKey(person.email),
      first_name: person.firstName,
      last_name: person.lastName,
      phone: person.phone,
      phone_e164: person.phoneE164 ?? null,
      company: person.company ?? null,
      state: person.state ?? null,
      created_at: submission.receivedAt,
      updated_at: now,
    })
    .execute()
  return submission.id
}

async function recentReceipt(tx: Transaction<Schema>, email: string, now: number) {
  const recent = await tx
    .selectFrom('leads as l')
    .innerJoin('timeline as e', 'e.lead_id', 'l.id')
    .innerJoin('tasks as k', 'k.subject', 'e.submission_id')
    .select('k.id')
    .where('l.email_key', '=', emailKey(email))
    .where('l.kind', '=', 'student')
    .where('e.kind', '=', 'submission')
    .where('k.kind', '=', 'receipt')
    .where('k.state', '<>', 'skipped')
    .where('k.created_at', '>', now - RECEIPT_INTERVAL)
    .limit(1)
    .executeTakeFirst()
  return recent ? 'this address was sent a receipt less than a day before' : undefined
}
