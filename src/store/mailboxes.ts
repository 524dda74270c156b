/** Queries on the watched mailboxes: up to where each is read, and what its messages change. */
import type { Kysely } from 'kysely'
import { type LeadEvent, recordLeadEvent } from './lead-events.ts'
import { lockLead } from './leads.ts'
import { type MessageKey, markUndelivered } from './outbox.ts'
import type { Schema } from './schema.ts'
import { type Suppression, suppress } from './suppressions.ts'

/** A message of a watched mailbox, understood. */
export type InboundRecord = {
  mailbox: string
  uidValidity: string
  uid: number
  /** What it means for which lead; null where it means nothing for any. */
  about: About | null
  /** A message of ours to the staff that did not arrive: it counts as given up, with this note. */
  returned?: (MessageKey & { note: string }) | undefined
}

export type About = { leadId: number; news: LeadEvent; suppress: Suppression | null }

/**
 * Takes a message of a watched mailbox into account and moves the place up to which the mailbox is
 * read, in one transaction: of several readers, and after a crash, one does it. False: it was done.
 */
export async function recordInbound(
  db: Kysely<Schema>,
  { mailbox, uidValidity, uid, about, returned }: InboundRecord,
  now: number,
): Promise<boolean> {
  return db.transaction().execute(async tx => {
    const { numUpdatedRows } = await tx
      .updateTable('mailboxes')
      .set({ last_uid: uid })
      .where('name', '=', mailbox)
      .where('uid_validity', '=', uidValidity)
      .where('last_uid', '<', uid)
      .executeTakeFirst()
    if (numUpdatedRows === 0n) return false
    if (returned !== undefined) await markUndelivered(tx, returned)
    if (about === null) return true
    const lead = await lockLead(tx, about.leadId)
    if (about.suppress !== null) {
      await suppress(tx, about.suppress.addressHash, about.suppress.reason, now)
    }
    if (lead !== undefined) await recordLeadEvent(tx, lead, about.news, now)
    return true
  })
}

/** Up to where a mailbox has been read; undefined where it never was. */
export async function readMailboxPosition(
  db: Kysely<Schema>,
  name: string,
): Promise<{ uidValidity: string; lastUid: number } | undefined> {
  const row = await db
    .selectFrom('mailboxes')
    .select(['uid_validity', 'last_uid'])
    .where('name', '=', name)
    .executeTakeFirst()
  return row && { uidValidity: row.uid_validity, lastUid: row.last_uid }
}

/** Begins to read a mailbox behind a place, also where it was read before. */
export async function setMailboxPosition(
  db: Kysely<Schema>,
  name: string,
  { uidValidity, lastUid }: { uidValidity: string; lastUid: number },
): Promise<void> {
  const place = { uid_validity: uidValidity, last_uid: lastUid }
  await db
    .insertInto('mailboxes')
    .values({ name, ...place })
    // Another reader may have begun with it a moment ago, and be further by now.
    .onConflict(oc =>
      oc.column('name').doUpdateSet(place).where('mailboxes.uid_validity', '<>', uidValidity),
    )
    .execute()
}
