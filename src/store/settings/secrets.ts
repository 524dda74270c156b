/** Queries on the secrets that the processes on one database share. */
import type { Kysely, Transaction } from 'kysely'
import type { Schema } from '../tables/schema.ts'

/** The secret of that name. If there is none yet, saves `newSecret` as the secret. */
export async function getOrCreateSecret(db: Kysely<Schema>, name: string, newSecret: string): Promise<string> {
  await db
    .insertInto('secrets')
    .values({ name, value: newSecret })
    .onConflict(oc => oc.column('name').doNothing())
    .execute()
  const { value } = await db.selectFrom('secrets').select('value').where('name', '=', name).executeTakeFirstOrThrow()
  return value
}

/** Makes the transactions that call it run one after another. The row that each locks exists since the start. */
export async function takeTurns(tx: Transaction<Schema>): Promise<void> {
  await tx.selectFrom('secrets').select('name').where('name', '=', 'addresses').forUpdate().execute()
}

/**
 * The secret that signs links and Message-IDs. If the database has none, saves `fresh` as the secret. But if email has
 * been sent, its links were signed with a secret that is missing: then returns undefined, and saves nothing.
 */
export async function getOrCreateLinkSecret(db: Kysely<Schema>, fresh: string): Promise<string | undefined> {
  const existing = await db.selectFrom('secrets').select('value').where('name', '=', LINKS).executeTakeFirst()
  if (existing !== undefined) return existing.value
  if (await hasSentEmail(db)) return undefined
  return getOrCreateSecret(db, LINKS, fresh)
}

const LINKS = 'links'

async function hasSentEmail(db: Kysely<Schema>): Promise<boolean> {
  const sent = await db
    .selectFrom('tasks')
    .select('id')
    .where('lane', '!=', 'filing')
    .where('state', '=', 'done')
    .limit(1)
    .executeTakeFirst()
  return sent !== undefined
}
