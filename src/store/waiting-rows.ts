/** The rows of lists that are being imported, and whose turn has not come: the same row in another list is a repeated one. */
import type { Kysely } from 'kysely'
import type { ImportPlan } from '../leads/import-row.ts'
import type { Kind } from '../leads/submission.ts'
import type { Schema } from './schema.ts'

/** The rows of these people (email keys) that wait in lists of the kind, except in the list with this id. */
export async function waitingRows(
  db: Kysely<Schema>,
  { importId }: { importId: number },
  { kind, people }: { kind: Kind; people: readonly string[] },
): Promise<{ key: string | null; email_key: string | null }[]> {
  if (people.length === 0) return []
  const lists = await runningLists(db, importId, kind)
  if (lists.length === 0) return []
  return db
    .selectFrom('import_rows')
    .innerJoin('imports', 'imports.id', 'import_rows.import_id')
    .select(['import_rows.key', 'import_rows.email_key'])
    .where('import_rows.import_id', 'in', lists)
    .where('import_rows.email_key', 'in', people)
    .whereRef('import_rows.row_number', '>', 'imports.through')
    .where('import_rows.outcome', 'in', ['opened', 'joined', 'repeated'])
    .execute()
}

/** The ids of the lists of the kind that are being imported, except this one. */
async function runningLists(db: Kysely<Schema>, importId: number, kind: Kind): Promise<number[]> {
  const running = await db
    .selectFrom('imports')
    .select(['id', 'plan'])
    .where('state', '=', 'running')
    .where('id', '<>', importId)
    .orderBy('id')
    .execute()
  return running.filter(({ plan }) => kindOf(plan) === kind).map(({ id }) => id)
}

const kindOf = (plan: string | null): Kind | undefined =>
  plan === null ? undefined : (JSON.parse(plan) as ImportPlan).kind

/** How many repeated rows we look up, so that a long list does not hold up submissions. */
const LOOKED_UP = 500

/** The ids of the lists that are being imported and in which rows wait that this list repeats, as its check found. */
export async function listsWithSameRows(db: Kysely<Schema>, importId: number): Promise<number[]> {
  const list = await db
    .selectFrom('imports')
    .select('plan')
    .where('id', '=', importId)
    .executeTakeFirst()
  const kind = kindOf(list?.plan ?? null)
  const lists = kind === undefined ? [] : await runningLists(db, importId, kind)
  if (lists.length === 0) return []
  const repeated = db
    .selectFrom('import_rows')
    .select(['key', 'email_key'])
    .where('import_id', '=', importId)
    .where('outcome', '=', 'repeated')
    .orderBy('row_number')
    .limit(LOOKED_UP)
  const found = await db
    .selectFrom(repeated.as('mine'))
    .innerJoin('import_rows as other', join =>
      join.onRef('other.email_key', '=', 'mine.email_key').onRef('other.key', '=', 'mine.key'),
    )
    .innerJoin('imports', 'imports.id', 'other.import_id')
    .select('imports.id')
    .distinct()
    .where('other.import_id', 'in', lists)
    .whereRef('other.row_number', '>', 'imports.through')
    .orderBy('imports.id')
    .execute()
  return found.map(({ id }) => id)
}
