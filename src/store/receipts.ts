/** The receipt: what a student gets at once, or why not. */
import { sql, type Transaction } from 'kysely'
import { DAY } from '../platform/time.ts'
import type { Filing, LeadFiling } from './filing-decision.ts'
import { addMail } from './outbox.ts'
import { leadsOfMailbox } from './same-mailbox.ts'
import type { Schema } from './schema.ts'
import { readSuppression } from './suppressions.ts'

/** A receipt goes to one mailbox at most this often, in milliseconds. */
const RECEIPT_INTERVAL = DAY

/** What the student gets at once: a receipt, or the email about their account if that is concealed. */
export async function addReceipt(
  tx: Transaction<Schema>,
  filing: Filing & LeadFiling,
  now: number,
): Promise<void> {
  const { submission, person, addressHashes, account } = filing
  const revealed =
    account === 'revealed' ? 'the response told the sender about their account' : undefined
  const suppression = await readSuppression(tx, addressHashes)
  const skip =
    filing.noReceipt ??
    revealed ??
    (suppression && `this address is suppressed: ${suppression.reason}`) ??
    (await recentReceipt(tx, person.email, now))
  await addMail(tx, account === 'concealed' ? 'account' : 'receipt', submission.id, { now, skip })
}

async function recentReceipt(tx: Transaction<Schema>, email: string, now: number) {
  const submissions = tx
    .selectFrom('timeline')
    .select('submission_id')
    .where('kind', '=', sql.lit('submission'))
    .where('lead_id', 'in', leadsOfMailbox(tx, { email, kind: 'student' }))
  // As a join, SQLite would start with all receipts there are.
  const recent = await tx
    .selectFrom('tasks')
    .select('id')
    .where('kind', 'in', ['receipt', 'account'])
    // One that was given up reached no one.
    .where('state', 'in', ['due', 'done'])
    .where('created_at', '>', now - RECEIPT_INTERVAL)
    .where('subject', 'in', submissions.$castTo<{ submission_id: number }>())
    .limit(1)
    .executeTakeFirst()
  return recent ? 'this mailbox got a receipt less than a day before' : undefined
}
