/** Deleting the rows of lists that no one needs anymore: they hold what people wrote. */
import type { Kysely } from 'kysely'
import type { Schema } from './schema.ts'

/** How many rows one transaction deletes. */
const DELETED_AT_ONCE = 2000

/**
 * Deletes the next rows of a list that was discarded, that no one ran by the moment `before`, or whose import ended
 * by then. Returns whether there may be more. What was counted stays for lists that were imported, but not
 * their headers.
 */
export async function expireImports(
  db: Kysely<Schema>,
  { before }: { before: number },
): Promise<boolean> {
  return db.transaction().execute(async tx => {
    const old = await tx
      .selectFrom('imports')
      .select(['id', 'finished_at'])
      .where('has_rows', '=', 1)
      .where(eb =>
        eb.or([
          eb('state', '=', 'discarded'),
          eb.and([
            eb('state', 'in', ['reading', 'draft', 'checking', 'checked']),
            eb('created_at', '<=', before),
          ]),
          eb.and([eb('state', 'in', ['done', 'undone']), eb('finished_at', '<=', before)]),
        ]),
      )
      .orderBy('id')
      .limit(1)
      .forUpdate()
      .executeTakeFirst()
    if (old === undefined) return false
    const { last } = await tx
      .selectFrom(
        tx
          .selectFrom('import_rows')
          .select('row_number')
          .where('import_id', '=', old.id)
          .orderBy('row_number')
          .limit(DELETED_AT_ONCE)
          .as('oldest'),
      )
      .select(eb => eb.fn.max('row_number').as('last'))
      .executeTakeFirstOrThrow()
    if (last !== null) {
      await tx
        .deleteFrom('import_rows')
        .where('import_id', '=', old.id)
        .where('row_number', '<=', last)
        .execute()
      return true
    }
    if (old.finished_at === null) await tx.deleteFrom('imports').where('id', '=', old.id).execute()
    // Headers may be a person, where a list has none.
    else
      await tx
        .updateTable('imports')
        .set({ has_rows: 0, headers: '[]' })
        .where('id', '=', old.id)
        .execute()
    return true
  })
}
