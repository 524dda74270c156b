/** Queries on the table of those who have an account at the learning site, as the operator imports it. */
import { type Kysely, sql } from 'kysely'
import type { Schema } from './schema.ts'

const AT_ONCE = 500

/** Whether the table holds an address. */
export async function hasAccount(db: Kysely<Schema>, addressHash: string): Promise<boolean> {
  const row = await db
    .selectFrom('accounts')
    .select('address_hash')
    .where('address_hash', '=', addressHash)
    .executeTakeFirst()
  return row !== undefined
}

/**
 * Takes addresses into the table; with `replace` they take the place of all that are there, in one
 * transaction. Returns how many the table then holds.
 */
export async function importAccounts(
  db: Kysely<Schema>,
  addressHashes: readonly string[],
  { replace }: { replace: boolean },
): Promise<number> {
  return db.transaction().execute(async tx => {
    if (replace) await tx.deleteFrom('accounts').execute()
    for (let i = 0; i < addressHashes.length; i += AT_ONCE) {
      await tx
        .insertInto('accounts')
        .values(addressHashes.slice(i, i + AT_ONCE).map(address_hash => ({ address_hash })))
        .onConflict(oc => oc.doNothing())
        .execute()
    }
    const { held } = await tx
      .selectFrom('accounts')
      .select(eb => eb.fn.count<number>(sql`*`).as('held'))
      .executeTakeFirstOrThrow()
    return Number(held)
  })
}
