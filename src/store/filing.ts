/**
 * Queries of filing: what a submission becomes. All of one batch happens in one transaction, and
 * each part only while the claim on its task is held, so that nothing is filed twice.
 */
import { type Kysely, sql, type Transaction } from 'kysely'
import { emailKey } from '../leads/email.ts'
import { TEXT_MEMORY } from '../leads/screening.ts'
import type { Submission } from '../leads/submission.ts'
import { addDigest, addMail } from './outbox.ts'
import { expireQuarantine, type QuarantineLimits, trimQuarantine } from './quarantine.ts'
import type { Schema } from './schema.ts'
import { type ClaimedTask, renewTasks } from './tasks.ts'

/** A receipt goes to one address at most this often, in milliseconds. */
const RECEIPT_INTERVAL = 24 * 3_600_000

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
  const filed = await db.transaction().execute(async tx => {
    if (!(await renewTasks(tx, tasks, now))) return false
    for (const filing of inOrderOfLocks(filings)) {
      if ('hold' in filing) await hold(tx, filing, now)
      else await addToLead(tx, filing, filing.person, now)
      if (filing.textDigest !== undefined) await rememberText(tx, filing, filing.textDigest)
    }
    const held = filings.find(filing => 'hold' in filing)
    if (held !== undefined) {
      await addDigest(tx, { ...held.digest, now })
      await expireQuarantine(tx, now, quarantine)
      await trimQuarantine(tx, quarantine)
    }
    return true
  })
  await db
    .deleteFrom('message_texts')
    .where('seen_at', '<=', now - TEXT_MEMORY)
    .execute()
  return filed
}

/** All file in the order of the addresses, so that no two ever wait for each other's leads. */
const inOrderOfLocks = (filings: readonly Filing[]): Filing[] =>
  filings.toSorted((one, other) => {
    const [key, otherKey] = [keyOf(one), keyOf(other)]
    if (key === otherKey) return one.submission.id - other.submission.id
    return key < otherKey ? -1 : 1
  })

const keyOf = (filing: Filing): string =>
  emailKey('hold' in filing ? filing.email : filing.person.email)

async function rememberText(tx: Transaction<Schema>, filing: Filing, digest: string) {
  const email_key = keyOf(filing)
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
) {
  await tx
    .insertInto('quarantine')
    .values({
      submission_id: filing.submission.id,
      reason: filing.hold,
      email_key: keyOf(filing),
      signals: filing.signals.join(','),
      state: 'held',
      held_at: now,
      decided_at: null,
    })
    .onConflict(oc => oc.doNothing())
    .execute()
}

async function addToLead(tx: Transaction<Schema>, filing: Filing, person: Person, now: number) {
  const { submission } = filing
  const leadId = await joinOrOpenLead(tx, filing, person, now)
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
    .where('state', '=', sql.lit('held'))
    .where('reason', '=', 'honeypot')
    .where('submission_id', '<', submission.id)
    .execute()
}

/** A further submission never overwrites contact data: anybody could send one. */
async function joinOrOpenLead(
  tx: Transaction<Schema>,
  { submission }: Filing,
  person: Person,
  now: number,
): Promise<number> {
  const { id } = await tx
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
    .onConflict(oc =>
      oc
        .columns(['email_key', 'kind'])
        .where('stage', '<>', sql.lit('closed'))
        .doUpdateSet({ updated_at: now }),
    )
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
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
  // As a join, SQLite would begin with every receipt there is.
  const recent = await tx
    .selectFrom('tasks')
    .select('id')
    .where('kind', '=', 'receipt')
    .where('state', '<>', 'skipped')
    .where('created_at', '>', now - RECEIPT_INTERVAL)
    .where('subject', 'in', submissions.$castTo<{ submission_id: number }>())
    .limit(1)
    .executeTakeFirst()
  return recent ? 'this address was sent a receipt less than a day before' : undefined
}
