/** Queries on the addresses that have an account at the learning site, as the operator imports them. */
import { type Kysely, sql } from 'kysely'
import type { Schema } from '../tables/schema.ts'

const BATCH = 500

export async function accountsAmong(db: Kysely<Schema>, addressHashes: readonly string[]): Promise<Set<string>> {
  if (addressHashes.length === 0) return new Set()
  const rows = await db
    .selectFrom('accounts')
    .select('address_hash')
    .where('address_hash', 'in', addressHashes)
    .execute()
  return new Set(rows.map(({ address_hash }) => address_hash))
}

/** Adds addresses to the table; with `replace`, in place of all others. Returns how many the table then has. */
export async function importAccounts(
  db: Kysely<Schema>,
  addressHashes: readonly string[],
  { replace }: { replace: boolean },
): Promise<number> {
  return db.transaction().execute(async tx => {
    if (replace) await tx.deleteFrom('accounts').execute()
    for (let i = 0; i < addressHashes.length; i += BATCH) {
      await tx
        .insertInto('accounts')
        .values(addressHashes.slice(i, i + BATCH).map(address_hash => ({ address_hash })))
        .onConflict(oc => oc.doNothing())
        .execute()
    }
    const { total } = await tx
      .selectFrom('accounts')
      .select(eb => eb.fn.count<number>(sql`*`).as('total'))
      .executeTakeFirstOrThrow()
    return Number(total)
  })
}
