/** Queries on cadences: each version that a lead was ever followed up by. */
import { createHash } from 'node:crypto'
import type { Kysely } from 'kysely'
import type { Cadence } from '../follow-up/cadence.ts'
import type { Kind } from '../leads/submission.ts'
import type { Schema } from './schema.ts'

/** The id of this version, which is kept from now on if it was not before. */
export async function getOrCreateCadence(
  db: Kysely<Schema>,
  kind: Kind,
  cadence: Cadence,
  now: number,
): Promise<number> {
  const steps = JSON.stringify(cadence)
  const digest = createHash('sha256').update(steps).digest('base64url')
  await db
    .insertInto('cadences')
    .values({ kind, digest, steps, created_at: now })
    .onConflict(oc => oc.columns(['kind', 'digest']).doNothing())
    .execute()
  const { id } = await db
    .selectFrom('cadences')
    .select('id')
    .where('kind', '=', kind)
    .where('digest', '=', digest)
    .executeTakeFirstOrThrow()
  return id
}
