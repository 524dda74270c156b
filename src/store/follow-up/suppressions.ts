/** Queries on the addresses that get no follow-up emails. */
import { type Kysely, sql } from 'kysely'
import type { SuppressionReason } from '../../follow-up/stop-conditions.ts'
import type { Schema } from '../tables/schema.ts'

export type Suppression = { addressHash: string; reason: SuppressionReason }

/**
 * Suppresses an address or, with the hash of its mailbox, all of the sub-addresses, from now on. The first reason
 * stays, with two exceptions. A person's own request replaces a bounce, because bounces can be ended for many addresses
 * at once. "Not me" replaces every reason, because it says that the address is not the person's. Returns whether the
 * address was not suppressed before.
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
  if (isNew) return true
  await db
    .updateTable('suppressions')
    .set({ reason })
    .where('address_hash', '=', addressHash)
    .$if(reason !== 'not me', update => update.where('reason', '=', 'bounced'))
    .execute()
  return false
}

/** Why an address with these hashes is suppressed, and since which moment; undefined if it is not. */
export async function readSuppression(
  db: Kysely<Schema>,
  addressHashes: readonly string[],
): Promise<{ reason: SuppressionReason; since: number } | undefined> {
  if (addressHashes.length === 0) return undefined
  return (
    db
      .selectFrom('suppressions')
      .select(['reason', 'since'])
      .where('address_hash', 'in', addressHashes)
      // A request of the mailbox's owner comes before a bounce.
      .orderBy(sql`case reason when 'not me' then 0 when 'bounced' then 2 else 1 end`)
      .limit(1)
      .executeTakeFirst()
  )
}

/** Which of these hashes belong to suppressed addresses, each with the reason. */
export async function suppressedAmong(
  db: Kysely<Schema>,
  addressHashes: readonly string[],
): Promise<Map<string, SuppressionReason>> {
  if (addressHashes.length === 0) return new Map()
  const rows = await db
    .selectFrom('suppressions')
    .select(['address_hash', 'reason'])
    .where('address_hash', 'in', addressHashes)
    .execute()
  return new Map(rows.map(({ address_hash, reason }) => [address_hash, reason]))
}
