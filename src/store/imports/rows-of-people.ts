/**
 * The rows of people in lists. A row with the same words as an earlier one is the same inquiry; a row with the same
 * address is about the same lead.
 */
import type { Kysely } from 'kysely'
import type { Kind } from '../../leads/body/submission.ts'
import type { ImportPlan } from '../../leads/import/inquiry-of-row.ts'
import type { RowOutcome } from '../tables/import-tables.ts'
import type { Schema } from '../tables/schema.ts'

type PersonRow = {
  import_id: number
  row_number: number
  key: string | null
  person_key: string | null
  lead_id: number | null
}

/** The rows of these people (email keys) in these lists with one of these outcomes. Default: importable ones. */
export async function rowsOfPeople(
  db: Kysely<Schema>,
  {
    lists,
    people,
    outcomes = ['opened', 'joined', 'repeated'],
  }: { lists: readonly number[]; people: readonly string[]; outcomes?: readonly RowOutcome[] },
): Promise<PersonRow[]> {
  if (lists.length === 0 || people.length === 0) return []
  return (
    db
      // This is a join, because SQLite would otherwise read whole lists instead of using the index.
      .selectFrom('import_rows as found')
      .innerJoin('import_rows as one', join =>
        join.onRef('one.import_id', '=', 'found.import_id').onRef('one.row_number', '=', 'found.row_number'),
      )
      .select(['one.import_id', 'one.row_number', 'one.key', 'one.person_key', 'one.lead_id'])
      .where('found.import_id', 'in', lists)
      .where('found.person_key', 'in', people)
      .where('one.outcome', 'in', outcomes)
      .execute()
  )
}

/** The waiting rows of these people in other lists of the same kind. */
export async function waitingRows(
  db: Kysely<Schema>,
  { importId, kind, people }: { importId: number; kind: Kind; people: readonly string[] },
): Promise<PersonRow[]> {
  const through = await runningLists(db, importId, kind)
  const rows = await rowsOfPeople(db, { lists: [...through.keys()], people })
  return rows.filter(({ import_id, row_number }) => row_number > (through.get(import_id) ?? 0))
}

/** The other lists of this kind that are being imported, each with the last row that is done. */
async function runningLists(db: Kysely<Schema>, importId: number, kind: Kind): Promise<Map<number, number>> {
  const running = await db
    .selectFrom('imports')
    .select(['id', 'plan', 'through'])
    .where('state', '=', 'running')
    .where('id', '<>', importId)
    .execute()
  const ofKind = running.filter(({ plan }) => kindOf(plan) === kind)
  return new Map(ofKind.map(({ id, through }) => [id, through]))
}

const kindOf = (plan: string | null): Kind | undefined =>
  plan === null ? undefined : (JSON.parse(plan) as ImportPlan).kind

/** How many repeated rows we look up, so that a long list does not delay submissions. */
const LOOKED_UP = 500

/** The ids of the lists being imported that have waiting rows that this list repeats, according to its check. */
export async function listsWithSameRows(db: Kysely<Schema>, importId: number): Promise<number[]> {
  const list = await db.selectFrom('imports').select('plan').where('id', '=', importId).executeTakeFirst()
  const kind = kindOf(list?.plan ?? null)
  if (kind === undefined) return []
  const repeated = await db
    .selectFrom('import_rows')
    .select(['key', 'person_key'])
    .where('import_id', '=', importId)
    .where('outcome', '=', 'repeated')
    // If two lists have the same rows, the last rows wait longest.
    .orderBy('row_number', 'desc')
    .limit(LOOKED_UP)
    .execute()
  const people = [...new Set(repeated.flatMap(({ person_key }) => person_key ?? []))]
  const keys = new Set(repeated.map(({ key }) => key))
  const waiting = await waitingRows(db, { importId, kind, people })
  const same = waiting.filter(({ key }) => keys.has(key))
  return [...new Set(same.map(({ import_id }) => import_id))].toSorted((one, other) => one - other)
}
