/** Revoking a token of the private API. */
import type { Kysely } from 'kysely'
import { type AuditEntry, recordAudit } from '../operators/audit-log.ts'
import type { Schema } from '../tables/schema.ts'
import { deleteDestinationIn } from './destinations.ts'

/**
 * Ends a token immediately, with the subscriptions of its program, which could no longer end them. Returns the name of
 * the token and how many subscriptions there were; undefined if the token is unknown, or was revoked before.
 */
export async function revokeApiToken(
  db: Kysely<Schema>,
  id: number,
  { now, audit }: { now: number; audit: Omit<AuditEntry, 'detail'> },
): Promise<{ name: string; ended: number } | undefined> {
  return db.transaction().execute(async tx => {
    const revoked = await tx
      .updateTable('api_tokens')
      .set({ revoked_at: now })
      .where('id', '=', id)
      .where('revoked_at', 'is', null)
      .returning('name')
      .executeTakeFirst()
    if (revoked === undefined) return undefined
    await recordAudit(tx, { ...audit, detail: revoked.name })
    const hooks = await tx.selectFrom('destinations').select(['id', 'name']).where('token_id', '=', id).execute()
    for (const hook of hooks) {
      const ended = [{ ...audit, action: 'deleted a destination', detail: hook.name }]
      await deleteDestinationIn(tx, hook.id, { now, audit: ended })
    }
    return { name: revoked.name, ended: hooks.length }
  })
}
