/** Decisions of staff about addresses that get no follow-up emails, each with its entry in the audit log. */
import type { Kysely } from 'kysely'
import { suppress } from '../follow-up/suppressions.ts'
import { type AuditEntry, audited, changeAudited, recordAudit } from '../operators/audit-log.ts'
import type { Schema } from '../tables/schema.ts'

/** Suppresses an address as `suppress` does, for someone at the school. */
export async function suppressByHand(
  db: Kysely<Schema>,
  addressHash: string,
  { now, audit }: { now: number; audit: readonly AuditEntry[] },
): Promise<boolean> {
  return audited(db, audit, tx => suppress(tx, addressHash, 'unsubscribed', now))
}

/** Ends the suppression of an address, under each of its hashes. Returns whether it was suppressed. */
export async function unsuppress(
  db: Kysely<Schema>,
  addressHashes: readonly string[],
  audit: readonly AuditEntry[],
): Promise<boolean> {
  return changeAudited(db, audit, tx => tx.deleteFrom('suppressions').where('address_hash', 'in', addressHashes))
}

/** Ends the suppression of the addresses that bounced since a moment. Returns how many there were. */
export async function unsuppressBounced(
  db: Kysely<Schema>,
  since: number,
  audit: readonly AuditEntry[],
): Promise<number> {
  return db.transaction().execute(async tx => {
    const { numDeletedRows } = await tx
      .deleteFrom('suppressions')
      .where('reason', '=', 'bounced')
      .where('since', '>=', since)
      .executeTakeFirst()
    const detail = `${numDeletedRows} that bounced`
    if (numDeletedRows > 0n)
      await recordAudit(
        tx,
        audit.map(entry => ({ ...entry, detail })),
      )
    return Number(numDeletedRows)
  })
}
