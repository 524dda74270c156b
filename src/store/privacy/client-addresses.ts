/**
 * Deletes the client addresses of old submissions. It goes through them by id, which grows with time, and remembers how
 * far it got, so that intake does not have to maintain an index on times.
 */
import { type Kysely, sql } from 'kysely'
import type { Schema } from '../tables/schema.ts'

const PROGRESS = 'client addresses'

/**
 * Looks at the next `limit` submissions, up to the first one that came at `before` or later. Returns whether there may
 * be more. A submission with a moment after `now` came while the clock was ahead, and does not end the pass. Safe to
 * interrupt, and safe to call in several processes at once.
 */
export async function forgetClientAddresses(
  db: Kysely<Schema>,
  { before, now, limit }: { before: number; now: number; limit: number },
): Promise<boolean> {
  await db
    .insertInto('progress')
    .values({ name: PROGRESS, through: 0 })
    .onConflict(oc => oc.doNothing())
    .execute()
  return db.transaction().execute(async tx => {
    const { through } = await tx
      .selectFrom('progress')
      .select('through')
      .where('name', '=', PROGRESS)
      .forUpdate()
      .executeTakeFirstOrThrow()
    const rows = await tx
      .selectFrom('submissions')
      .select(['id', 'received_at'])
      .where('id', '>', through)
      .orderBy('id')
      .limit(limit)
      .execute()
    const young = rows.findIndex(row => row.received_at >= before && row.received_at <= now)
    const last = (young === -1 ? rows : rows.slice(0, young)).at(-1)?.id
    if (last === undefined) return false
    await tx
      .updateTable('submissions')
      .set({ client_address: '' })
      .where('id', '>', through)
      .where('id', '<=', last)
      .where('client_address', '<>', sql.lit(''))
      .execute()
    await tx.updateTable('progress').set({ through: last }).where('name', '=', PROGRESS).execute()
    return young === -1 && rows.length === limit
  })
}
