/** The receipt: the email that a student gets immediately, or the reason why not. */
import { sql, type Transaction } from 'kysely'
import { suppressedNote } from '../../follow-up/stop-conditions.ts'
import { DAY } from '../../platform/time.ts'
import { readSuppression, suppressedAmong } from '../follow-up/suppressions.ts'
import { leadsOfMailbox } from '../leads/leads-of-mailbox.ts'
import type { NewMessage } from '../outbox/outbox.ts'
import type { Schema } from '../tables/schema.ts'
import { kindsAbout } from '../tables/task-kinds.ts'
import type { Filing, LeadFiling } from './filing-decision.ts'

/** One mailbox gets a receipt at most this often, in milliseconds. */
const RECEIPT_INTERVAL = DAY

/** A student's submission, and whether their mailbox had a lead before. */
type Student = { filing: Filing & LeadFiling; known: boolean }

/** The emails that students get immediately, by submission: a receipt or, if accounts are concealed, one about it. */
export async function receiptsFor(
  tx: Transaction<Schema>,
  students: readonly Student[],
  now: number,
): Promise<Map<number, NewMessage>> {
  const hashes = students.flatMap(({ filing }) => filing.addressHashes)
  const suppressed = await suppressedAmong(tx, hashes)
  const receipts = new Map<number, NewMessage>()
  for (const { filing, known } of students) {
    const { submission, addressHashes, account } = filing
    const skip =
      filing.noReceipt ??
      (account === 'revealed' ? 'the response told the sender about their account' : undefined) ??
      (addressHashes.some(hash => suppressed.has(hash)) ? await whySuppressed(tx, addressHashes) : undefined) ??
      (known ? await recentReceipt(tx, filing.person.key, now) : undefined)
    const kind = account === 'concealed' ? 'account' : 'receipt'
    receipts.set(submission.id, { kind, subject: submission.id, skip })
  }
  return receipts
}

async function whySuppressed(tx: Transaction<Schema>, addressHashes: readonly string[]) {
  const suppression = await readSuppression(tx, addressHashes)
  return suppression && suppressedNote(suppression.reason)
}

async function recentReceipt(tx: Transaction<Schema>, key: string, now: number) {
  const submissions = tx
    .selectFrom('timeline')
    .select('submission_id')
    .where('kind', '=', sql.lit('submission'))
    .where('lead_id', 'in', leadsOfMailbox(tx, { key, kind: 'student' }))
  // This is not a join, because SQLite would start it with all receipts.
  const recent = await tx
    .selectFrom('tasks')
    .select('id')
    .where('kind', 'in', kindsAbout('submission', { to: 'person' }))
    // A receipt that was given up has not reached anyone.
    .where('state', 'in', ['due', 'done'])
    .where('created_at', '>', now - RECEIPT_INTERVAL)
    .where('subject', 'in', submissions.$castTo<{ submission_id: number }>())
    .limit(1)
    .executeTakeFirst()
  return recent ? 'this mailbox got a receipt less than a day before' : undefined
}
