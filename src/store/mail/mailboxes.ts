/** Queries on the watched mailboxes: how far each has been read, and what its messages change. */
import type { Kysely, Transaction } from 'kysely'
import type { Morning } from '../../follow-up/school-mornings.ts'
import { type Suppression, suppress } from '../follow-up/suppressions.ts'
import { lockLead } from '../leads/leads.ts'
import { type MessageKey, markUndelivered } from '../outbox/outbox.ts'
import type { Schema } from '../tables/schema.ts'
import { addUndelivered, type LeadEvent, recordLeadEvent, type UndeliveredReport } from './person-events.ts'
import { addListed, addStray, type StrayMail } from './stray-mail.ts'

/** A message in a watched mailbox, and what it changes. */
export type InboundRecord = {
  mailbox: string
  uidValidity: string
  uid: number
  /** When it arrived, by the server's clock. */
  arrivedAt?: number | undefined
  /** What it changes about a lead; null if nothing. */
  effect: LeadEffect | null
  returned?: ReturnedMessage | undefined
  /**
   * Mail that is not about a lead: it is forwarded immediately or, beyond the daily limit, in the next morning's list.
   */
  stray?: ListedMail | undefined
  /** Mail that is not about a lead, and always waits for that list. */
  listed?: ListedMail | undefined
}

/** Mail for the team, and the morning whose list may name it. */
export type ListedMail = { mail: StrayMail; morning: Morning }

/** A message of ours to the staff that came back. It counts as given up, with this note. */
export type ReturnedMessage = MessageKey & {
  note: string
  /**
   * The lead that our message was about, with a report for the timeline; null if the message was not about a lead. Each
   * message is reported once: anyone who has seen its Message-ID can send it back again and again.
   */
  about: { leadId: number; report: UndeliveredReport } | null
}

export type LeadEffect = {
  leadId: number
  /** What happened to the lead; null if the message only suppresses an address. */
  event: LeadEvent | null
  suppression: Suppression | null
  /** The text for the next morning's list, if too much of this kind was recorded today. */
  otherwise?: ListedMail | undefined
}

/**
 * Records a message of a watched mailbox and advances the position up to which the mailbox is read, in one transaction.
 * So each message is recorded once, even with several readers and after a crash. Returns false if it was already
 * recorded.
 */
export async function recordInbound(
  db: Kysely<Schema>,
  { mailbox, uidValidity, uid, arrivedAt, effect, returned, stray, listed }: InboundRecord,
  now: number,
): Promise<boolean> {
  return db.transaction().execute(async tx => {
    const { numUpdatedRows } = await tx
      .updateTable('mailboxes')
      .set({ last_uid: uid, ...(arrivedAt !== undefined && { last_arrival: arrivedAt }) })
      .where('name', '=', mailbox)
      .where('uid_validity', '=', uidValidity)
      .where('last_uid', '<', uid)
      .executeTakeFirst()
    if (numUpdatedRows === 0n) return false
    if (returned !== undefined) await recordReturned(tx, returned, now)
    if (stray !== undefined) await addStray(tx, stray.mail, { ...stray, now })
    if (listed !== undefined) await addListed(tx, listed.mail, { ...listed, now })
    if (effect === null) return true
    const { leadId, event, suppression, otherwise } = effect
    const lead = await lockLead(tx, leadId)
    if (suppression !== null) await suppress(tx, suppression.addressHash, suppression.reason, now)
    const recorded =
      lead === undefined || event === null || (await recordLeadEvent(tx, lead, aboutLead(leadId, lead, event), now))
    if (!recorded && otherwise) await addListed(tx, otherwise.mail, { ...otherwise, now })
    return true
  })
}

/** If a lead was merged into another, its events are recorded for the other. */
const aboutLead = (leadId: number, { id }: { id: number }, event: LeadEvent): LeadEvent =>
  id === leadId ? event : { ...event, mergedFrom: leadId }

async function recordReturned(
  tx: Transaction<Schema>,
  { about, ...returned }: ReturnedMessage,
  now: number,
): Promise<void> {
  // The lead is locked before the task, as everywhere.
  const lead = about === null ? undefined : await lockLead(tx, about.leadId)
  const first = await markUndelivered(tx, returned)
  if (about && lead && first) await addUndelivered(tx, lead, about.report, now)
}

/** How far a mailbox has been read, and when the last message there arrived. */
type Position = { uidValidity: string; lastUid: number; lastArrival: number }

/** The position up to which a mailbox has been read; undefined if it never was. */
export async function readMailboxPosition(db: Kysely<Schema>, name: string): Promise<Position | undefined> {
  const row = await db
    .selectFrom('mailboxes')
    .select(['uid_validity', 'last_uid', 'last_arrival'])
    .where('name', '=', name)
    .executeTakeFirst()
  return row && { uidValidity: row.uid_validity, lastUid: row.last_uid, lastArrival: row.last_arrival }
}

/** Sets the position behind which a mailbox is read, even if it was read before. */
export async function setMailboxPosition(
  db: Kysely<Schema>,
  name: string,
  { uidValidity, lastUid, lastArrival }: Position,
): Promise<void> {
  const position = { uid_validity: uidValidity, last_uid: lastUid, last_arrival: lastArrival }
  await db
    .insertInto('mailboxes')
    .values({ name, ...position })
    // Another reader may have just set it, and be further by now.
    .onConflict(oc => oc.column('name').doUpdateSet(position).where('mailboxes.uid_validity', '<>', uidValidity))
    .execute()
}
