/** Queries on the addresses that are sent no letters. */
import type { Kysely } from 'kysely'
import type { SuppressionReason } from '../follow-up/stop-conditions.ts'
import { type LeadEvent, recordLeadEvent } from './lead-events.ts'
import { lockLead } from './leads.ts'
import type { Schema } from './schema.ts'
import { countEntries } from './timeline.ts'

export type Suppression = { addressHash: string; reason: SuppressionReason }

/**
 * Leaves an address alone from now on. The first reason stays, but for one that says more: that the
 * address is not the person's at all. Returns whether it is new.
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
  const fresh = numInsertedOrUpdatedRows === 1n
  if (!fresh && (reason === 'not me' || reason === 'bounced')) {
    await db
      .updateTable('suppressions')
      .set({ reason })
      .where('address_hash', '=', addressHash)
      .execute()
  }
  return fresh
}

/** Lets an address be written to again. Returns whether it was suppressed. */
export async function unsuppress(db: Kysely<Schema>, addressHash: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('suppressions')
    .where('address_hash', '=', addressHash)
    .executeTakeFirst()
  return numDeletedRows === 1n
}

/** Why an address is left alone, and since when; undefined where it is not. */
export async function readSuppression(
  db: Kysely<Schema>,
  addressHash: string,
): Promise<{ reason: SuppressionReason; since: number } | undefined> {
  return db
    .selectFrom('suppressions')
    .select(['reason', 'since'])
    .where('address_hash', '=', addressHash)
    .executeTakeFirst()
}

/**
 * Writes to an address no more, as whoever reads its mail has asked, or because nobody does. Each
 * wish is told once of a lead, however often it is asked; `detail` is what a mail server said.
 */
export async function stopFollowUpEmails(
  db: Kysely<Schema>,
  leadId: number,
  { addressHash, reason, detail = '', now }: Suppression & { detail?: string; now: number },
): Promise<void> {
  await db.transaction().execute(async tx => {
    const lead = await lockLead(tx, leadId)
    await suppress(tx, addressHash, reason, now)
    if (lead === undefined) return
    const kind = newsOf[reason]
    if ((await countEntries(tx, leadId, { kind, since: 0 })) > 0) return
    await recordLeadEvent(tx, lead, { kind, detail, tell: true }, now)
  })
}

const newsOf = {
  unsubscribed: 'unsubscribed',
  'not me': 'not-me',
  bounced: 'bounce',
  complaint: 'complaint',
} as const satisfies Record<SuppressionReason, LeadEvent['kind']>
