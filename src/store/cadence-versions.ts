/** Queries on the versions of the cadences: every one that a lead was ever followed up by. */
import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { Kysely } from 'kysely'
import type { Cadence } from '../follow-up/cadence.ts'
import type { Kind } from '../leads/submission.ts'
import type { Schema } from './schema.ts'

/** The id of the version with these steps, which is saved if there is none. */
export async function getOrCreateCadence(
  db: Kysely<Schema>,
  kind: Kind,
  cadence: Cadence,
  now: number,
): Promise<number> {
  const versions = await db
    .selectFrom('cadences')
    .select(['id', 'steps'])
    .where('kind', '=', kind)
    .orderBy('id')
    .execute()
  const saved = versions.find(({ steps }) => isDeepStrictEqual(parseCadence(steps), cadence))
  if (saved !== undefined) return saved.id
  const steps = JSON.stringify(cadence)
  const digest = createHash('sha256').update(steps).digest('base64url')
  await db
    .insertInto('cadences')
    .values({ kind, digest, steps, created_at: now })
    // Another process may have saved it a moment ago.
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

/** Reads the steps of a version. Those of earlier releases had a `channel`, which was always email. */
export const parseCadence = (steps: string): Cadence =>
  JSON.parse(steps, (name, value) => (name === 'channel' ? undefined : value))
