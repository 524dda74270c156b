/**
 * Queries of filing: what a submission becomes. All of one batch happens in one transaction, and
 * each part only while the claim on its task is held, so that nothing is filed twice.
 */
import type { Kysely, Transaction } from 'kysely'
import { emailKey } from '../leads/email.ts'
import type { Body, Kind, Submission } from '../leads/submission.ts'
import { addMail } from './outbox.ts'
import { expireQuarantine, type QuarantineLimits, trimQuarantine } from './quarantine.ts'
import type { Schema } from './schema.ts'
import { finishTask, type Task } from './tasks.ts'

/** A receipt goes to one address at most this often, in milliseconds. */
const RECEIPT_INTERVAL = 24 * 3_600_000

/** A claimed filing task with what it is about. */
export type Unfiled = { task: Task; submission: Submission; released: boolean }

/** What becomes of one submission. */
export type Filing = {
  task: { id: number; lease_token: string | null }
  submission: Pick<Submission, 'id' | 'kind' | 'receivedAt'>
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

/** The submissions of claimed filing tasks, in the order of the tasks. */
export async function readUnfiled(db: Kysely<Schema>, tasks: Task[]): Promise<Unfiled[]> {
  const rows = await db
    .selectFrom('submissions as s')
    .leftJoin('quarantine as q', 'q.submission_id', 's.id')
    .select(['s.id', 's.kind', 's.received_at', 's.answer', 's.body', 'q.state as held'])
    .where(
      's.id',
      'in',
      tasks.map(task => task.subject),
    )
    .execute()
  const byId = new Map(rows.map(row => [row.id, row]))
  return tasks.flatMap(task => {
    const row = byId.get(task.subject)
    return row ? [{ task, submission: asSubmission(row), released: row.held === 'released' }] : []
  })
}

/** A row of `submissions` as the rest of the program knows it. */
export const asSubmission = (row: {
  id: number
  kind: Kind
  received_at: number
  answer: number
  body: string
}): Submission =>
  ({
    id: row.id,
    kind: row.kind,
    receivedAt: row.received_at,
    answer: row.answer,
    body: JSON.parse(row.body) as Body[Kind],
  }) as Submission

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
 * Files a batch: each submission becomes part of a lead, or is held in quarantine, and its task is
 * done. One whose claim was lost meanwhile is passed over. All or nothing.
 */
export async function fileSubmissions(
  db: Kysely<Schema>,
  filings: Filing[],
  { now, quarantine }: { now: number; quarantine: QuarantineLimits },
): Promise<void> {
  await db.transaction().execute(async tx => {
    for (const filing of filings) {
      if (!(await finishTask(tx, filing.task, { state: 'done', note: null, now }))) continue
      if (filing.textDigest !== undefined) await rememberText(tx, filing, filing.textDigest)
      if ('hold' in filing) await hold(tx, filing, now, quarantine)
      else await addToLead(tx, filing, filing.person, now)
    }
  })
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
  await addMail(tx, 'digest', filing.digest.day, { now, dueAt: filing.digest.dueAt })
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
  await tx
    .updateTable('quarantine')
    .set({ state: 'dismissed', decided_at: now })
    .where('email_key', '=', emailKey(person.email))
    .where('state', '=', 'held')
    .where('reason', '=', 'honeypot')
    .execute()
  await addMail(tx, 'notify', submission.id, { now })
  if (submission.kind === 'student') {
    const skip = person.noReceipt ?? (await recentReceipt(tx, person.email, now))
    await addMail(tx, 'receipt', submission.id, { now, skip })
  }
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
