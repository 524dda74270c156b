/** Queries on the secrets that the processes on one database share. */
import type { Kysely, Transaction } from 'kysely'
import type { Schema } from '../tables/schema.ts'

/** The secret of that name; if there is none yet, it is `newSecret` from now on. */
export async function getOrCreateSecret(db: Kysely<Schema>, name: string, newSecret: string): Promise<string> {
  await db
    .insertInto('secrets')
    .values({ name, value: newSecret })
    .onConflict(oc => oc.column('name').doNothing())
    .execute()
  const { value } = await db.selectFrom('secrets').select('value').where('name', '=', name).executeTakeFirstOrThrow()
  return value
}

/**
 * Lets the transactions that call it go one after the other. The row that each of them locks has been there since the
 * service has started.
 */
export async function takeTurns(tx: Transaction<Schema>): Promise<void> {
  await tx.selectFrom('secrets').select('name').where('name', '=', 'addresses').forUpdate().execute()
}

/**
 * The secret that signs links and Message-IDs. If the database has none, it gets `fresh`. Returns undefined, and stores
 * nothing, if there is none and email has been sent: its links were signed with a secret that is missing.
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
