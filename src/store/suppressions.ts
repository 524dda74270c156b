/** Queries on the addresses that get no follow-up emails. */
import { type Kysely, sql } from 'kysely'
import type { SuppressionReason } from '../follow-up/stop-conditions.ts'
import { emailKey } from '../leads/email.ts'
import { lockExactLead, lockLead } from './leads.ts'
import { type LeadEvent, recordLeadEvent } from './person-events.ts'
import type { Schema } from './schema.ts'
import { countEntries } from './timeline.ts'

export type Suppression = { addressHash: string; reason: SuppressionReason }

/**
 * Suppresses an address, or with the hash of its mailbox all of the sub-addresses, from now on. The first reason stays, except that "not me", which says that the
 * address is not the person's, replaces it. A bounce replaces nothing: its suppression can be ended for
 * many addresses at once, and a wish must outlive that. Returns whether the address is new here.
 */
export async function suppress(
  db: Kysely<Schema>,
  addressHash: string,
  reason: SuppressionReason,
  now: number,
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('suppressions')
    .values({ address_hash: addressHash, reason, since: now })
    .onConflict(oc => oc.column('address_hash').doNothing())
    .executeTakeFirst()
  const isNew = numInsertedOrUpdatedRows === 1n
  if (!isNew && reason === 'not me') {
    await db
      .updateTable('suppressions')
      .set({ reason })
      .where('address_hash', '=', addressHash)
      .execute()
  }
  return isNew
}

/** Ends the suppression of an address, under each of its hashes. Returns whether it was suppressed. */
export async function unsuppress(
  db: Kysely<Schema>,
  addressHashes: readonly string[],
): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('suppressions')
    .where('address_hash', 'in', addressHashes)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

/** Ends the suppression of the addresses that bounced since a moment. Returns how many there were. */
export async function unsuppressBounced(db: Kysely<Schema>, since: number): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('suppressions')
    .where('reason', '=', 'bounced')
    .where('since', '>=', since)
    .executeTakeFirst()
  return Number(numDeletedRows)
}

/** Why and since when an address with these hashes is suppressed; undefined if it is not. */
export async function readSuppression(
  db: Kysely<Schema>,
  addressHashes: readonly string[],
): Promise<{ reason: SuppressionReason; since: number } | undefined> {
  return (
    db
      .selectFrom('suppressions')
      .select(['reason', 'since'])
      .where('address_hash', 'in', addressHashes)
      // What the owner of the mailbox wished comes before a bounce.
      .orderBy(sql`case reason when 'not me' then 0 when 'bounced' then 2 else 1 end`)
      .limit(1)
      .executeTakeFirst()
  )
}

/** Which of these hashes are those of suppressed addresses. */
export async function suppressedAmong(
  db: Kysely<Schema>,
  addressHashes: readonly string[],
): Promise<Set<string>> {
  if (addressHashes.length === 0) return new Set()
  const rows = await db
    .selectFrom('suppressions')
    .select('address_hash')
    .where('address_hash', 'in', addressHashes)
    .execute()
  return new Set(rows.map(({ address_hash }) => address_hash))
}

/**
 * Stops follow-up emails to the address of a lead, because its reader asked for it or the address does
 * not work. The staff gets one email per address and reason, however often it happens; `detail` is what a
 * mail server said. `email` is the address, by default the one that the lead has; one that it no longer has
 * is only suppressed.
 */
export async function stopFollowUpEmails(
  db: Kysely<Schema>,
  leadId: number,
  {
    email,
    addressHash,
    reason,
    detail = '',
    now,
  }: Suppression & { email?: string; detail?: string; now: number },
): Promise<void> {
  await db.transaction().execute(async tx => {
    const lead = await lockLead(tx, leadId)
    await suppress(tx, addressHash, reason, now)
    const own = lead?.id === leadId ? lead : await lockExactLead(tx, leadId)
    if (lead === undefined || own === undefined) return
    if (emailKey(email ?? own.email) !== own.email_key) return
    const kind = eventKinds[reason]
    // Of a lead that was merged, emails go to the other address now.
    const merged = own === lead ? undefined : { mail: { address: own.email }, mergedFrom: own.id }
    const since = own.corrected_at ?? 0
    const address = merged?.mail.address
    if ((await countEntries(tx, lead.id, { kind, since, address })) > 0) return
    await recordLeadEvent(tx, lead, { kind, detail, tell: merged === undefined, ...merged }, now)
  })
}

const eventKinds = {
  unsubscribed: 'unsubscribed',
  'not me': 'not-me',
  bounced: 'bounce',
  complaint: 'complaint',
} as const satisfies Record<SuppressionReason, LeadEvent['kind']>
