/** The keys of the table `limits`. They are keyed hashes, so that the table names neither people nor networks. */
import { createHmac } from 'node:crypto'
import type { Kysely } from 'kysely'
import { newSecret } from '../../platform/secret.ts'
import { getOrCreateSecret } from '../settings/secrets.ts'
import type { Schema } from '../tables/schema.ts'

export type LimitKey = (name: string) => string

/**
 * A function that computes the keys, the same in all replicas. The secret is read at the first call, not before, so
 * that a database in which nothing was counted stays empty, and can be the target of a move.
 */
export function limitKeys(db: Kysely<Schema>): () => Promise<LimitKey> {
  let secret: string | undefined
  return async () => {
    const key = secret ?? (await getOrCreateSecret(db, 'addresses', newSecret()))
    secret = key
    return name => createHmac('sha256', key).update(`limit\n${name}`).digest('base64url')
  }
}
