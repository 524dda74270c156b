/** Queries on the secrets that the processes on one database share. */
import type { Kysely } from 'kysely'
import type { Schema } from './schema.ts'

/** The secret of that name; if there is none yet, it is `newSecret` from now on. */
export async function getOrCreateSecret(
  db: Kysely<Schema>,
  name: string,
  newSecret: string,
): Promise<string> {
  await db
    .insertInto('secrets')
    .values({ name, value: newSecret })
    .onConflict(oc => oc.column('name').doNothing())
    .execute()
  const { value } = await db
    .selectFrom('secrets')
    .select('value')
    .where('name', '=', name)
    .executeTakeFirstOrThrow()
  return value
}
