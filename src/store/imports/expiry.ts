/** Deletes the rows of lists when no one needs them anymore, since they are personal data. */
import type { Kysely, Transaction } from 'kysely'
import type { Schema } from '../tables/schema.ts'

const DELETED_AT_ONCE = 2000

/**
 * Deletes the next rows of a list that no one needs anymore: it was discarded, or was uploaded by the time `before` and
 * never imported, or its import ended by that time. Returns whether there may be more. A list that was imported keeps
 * its counts, but not its headers.
 */
export async function expireImports(db: Kysely<Schema>, { before }: { before: number }): Promise<boolean> {
  return db.transaction().execute(async tx => {
    const old = await lockExpired(tx, before)
    if (old === undefined) return false
    if (await deleteOldestRows(tx, old.id)) return true
    if (old.finished_at === null) await tx.deleteFrom('imports').where('id', '=', old.id).execute()
    // If a list has no headers, its first row may have been stored as headers.
    else await tx.updateTable('imports').set({ has_rows: 0, headers: '[]' }).where('id', '=', old.id).execute()
    return true
  })
}

/** The next list whose rows must be deleted; undefined if there is none. */
const lockExpired = (tx: Transaction<Schema>, before: number) =>
  tx
    .selectFrom('imports')
    .select(['id', 'finished_at'])
    .where('has_rows', '=', 1)
    .where(eb =>
      eb.or([
        eb('state', '=', 'discarded'),
        eb.and([eb('state', 'in', ['reading', 'draft', 'checking', 'checked']), eb('created_at', '<=', before)]),
        eb.and([eb('state', 'in', ['done', 'undone']), eb('finished_at', '<=', before)]),
      ]),
    )
    .orderBy('id')
    .limit(1)
    .forUpdate()
    .executeTakeFirst()

/** Returns whether it had any. */
async function deleteOldestRows(tx: Transaction<Schema>, importId: number): Promise<boolean> {
  const oldest = tx
    .selectFrom('import_rows')
    .select('row_number')
    .where('import_id', '=', importId)
    .orderBy('row_number')
    .limit(DELETED_AT_ONCE)
    .as('oldest')
  const { last } = await tx
    .selectFrom(oldest)
    .select(eb => eb.fn.max('row_number').as('last'))
    .executeTakeFirstOrThrow()
  if (last === null) return false
  await tx.deleteFrom('import_rows').where('import_id', '=', importId).where('row_number', '<=', last).execute()
  return true
}
