/** Queries on the rows of imported lists: what they hold, and what a pass has found out about each. */
import type { Kysely, Selectable, Transaction } from 'kysely'
import type { RowProblem } from '../../leads/import/inquiry-of-row.ts'
import type { ImportState, ImportTables, RowOutcome } from '../tables/import-tables.ts'
import type { Schema } from '../tables/schema.ts'
import { type ClaimedTask, finishTasks, renewTasks } from '../tasks/tasks.ts'
import { type Import, lockImport } from './imports.ts'

export type StoredRow = {
  row: number
  cells: string[]
  outcome: RowOutcome | null
  problems: RowProblem[]
  submissionId: number | null
}

/** The next rows of a list, behind the row with the number `after`; with `outcome`, only the rows that have it. */
export async function readImportRows(
  db: Kysely<Schema>,
  importId: number,
  { after, limit, outcome }: { after: number; limit: number; outcome?: RowOutcome },
): Promise<StoredRow[]> {
  const rows = await db
    .selectFrom('import_rows')
    .selectAll()
    .where('import_id', '=', importId)
    .where('row_number', '>', after)
    .$if(outcome !== undefined, query => query.where('outcome', '=', outcome ?? null))
    .orderBy('row_number')
    .limit(limit)
    .execute()
  return rows.map(asStoredRow)
}

/** How many different sets of values we look at, the most frequent first. */
const MOST_UNREAD = 300

/** Words of a list that could not be read, and in how many rows that are imported without them; the most frequent first. */
export type UnreadValue = RowProblem & { rows: number }

export async function listUnreadValues(db: Kysely<Schema>, importId: number): Promise<UnreadValue[]> {
  const rows = await db
    .selectFrom('import_rows')
    .select(eb => ['problems', eb.fn.countAll<number>().as('rows')])
    .where('import_id', '=', importId)
    .where('outcome', 'in', ['opened', 'joined', 'kept'])
    .where('problems', 'is not', null)
    .groupBy('problems')
    .orderBy('rows', 'desc')
    .limit(MOST_UNREAD)
    .execute()
  const all = rows.flatMap(({ problems, rows: count }) =>
    (JSON.parse(problems ?? '[]') as RowProblem[]).map(problem => ({ ...problem, rows: Number(count) })),
  )
  const values = Map.groupBy(all, ({ column, value = '' }) => JSON.stringify([column, value]))
  return [...values.values()]
    .flatMap(([first, ...others]) =>
      first === undefined ? [] : { ...first, rows: others.reduce((sum, one) => sum + one.rows, first.rows) },
    )
    .toSorted((one, other) => other.rows - one.rows)
}

const asStoredRow = (row: Selectable<ImportTables['import_rows']>): StoredRow => ({
  row: row.row_number,
  cells: JSON.parse(row.cells),
  outcome: row.outcome,
  problems: row.problems === null ? [] : JSON.parse(row.problems),
  submissionId: row.submission_id,
})

/** What a pass is to do next: the import and its next rows. Undefined if there is nothing to do. */
export async function readPortion(db: Kysely<Schema>, importId: number, limit: number): Promise<Portion | undefined> {
  const row = await db
    .selectFrom('imports')
    .select(['state', 'through', 'headers', 'plan', 'created_by'])
    .where('id', '=', importId)
    .executeTakeFirst()
  if (row === undefined || row.plan === null || !isPass(row.state)) return undefined
  const { state, through } = row
  const rows = await readImportRows(db, importId, { after: through, limit })
  return {
    importId,
    state,
    through,
    rows,
    last: rows.length < limit,
    by: row.created_by,
    headers: JSON.parse(row.headers),
    plan: JSON.parse(row.plan),
  }
}

const passes = ['checking', 'running', 'undoing'] as const
export type Pass = (typeof passes)[number]
const isPass = (state: ImportState): state is Pass => passes.some(pass => pass === state)

export type Portion = Pick<Import, 'headers'> & {
  importId: number
  state: Pass
  /** The row after which it begins. */
  through: number
  rows: StoredRow[]
  /** Whether no row comes after these. */
  last: boolean
  plan: NonNullable<Import['plan']>
  by: string
}

/** Which rows of a list a pass does, and the claim under which it does them. */
export type PortionDone = Pick<Portion, 'importId' | 'state' | 'through' | 'last'> & { task: ClaimedTask; now: number }

/**
 * Begins to carry out a portion: true only while the claim is held and no one has done the portion or changed what is
 * to be done. The import is locked then.
 */
export async function mayDo(
  tx: Transaction<Schema>,
  { importId, state, through, task, now }: PortionDone,
): Promise<boolean> {
  const row = await lockImport(tx, importId)
  if (row === undefined || row.state !== state || row.through !== through) return false
  return renewTasks(tx, [task], now)
}

/** Locks these rows, and returns those that still exist: someone may have erased a person meanwhile. */
export async function lockRows<R extends { row: number }>(
  tx: Transaction<Schema>,
  importId: number,
  rows: readonly R[],
): Promise<R[]> {
  const [first, last] = [rows.at(0)?.row, rows.at(-1)?.row]
  if (first === undefined || last === undefined) return []
  const present = await tx
    .selectFrom('import_rows')
    .select('row_number')
    .where('import_id', '=', importId)
    .where('row_number', '>=', first)
    .where('row_number', '<=', last)
    .orderBy('row_number')
    .forUpdate()
    .execute()
  const numbers = new Set(present.map(({ row_number }) => row_number))
  return rows.filter(({ row }) => numbers.has(row))
}

/** What a pass has found out about a row. */
export type RowResult = {
  row: number
  sender: string
  key: string | null
  outcome: RowOutcome
  problems?: readonly RowProblem[]
  submissionId?: number
}

/** Saves what was found out about rows that are locked. */
export async function saveResults(
  tx: Transaction<Schema>,
  importId: number,
  results: readonly RowResult[],
): Promise<void> {
  if (results.length === 0) return
  await tx
    .insertInto('import_rows')
    .values(
      results.map(({ row, sender, key, outcome, problems, submissionId }) => ({
        import_id: importId,
        row_number: row,
        cells: '',
        person_key: sender,
        key,
        outcome,
        problems: problems === undefined ? null : JSON.stringify(problems),
        submission_id: submissionId ?? null,
      })),
    )
    // The rows exist: so one statement changes each in its own way, and leaves the cells as they are.
    .onConflict(oc =>
      oc
        .columns(['import_id', 'row_number'])
        .doUpdateSet(eb => ({
          person_key: eb.ref('excluded.person_key'),
          key: eb.ref('excluded.key'),
          outcome: eb.ref('excluded.outcome'),
          problems: eb.ref('excluded.problems'),
          submission_id: eb.ref('excluded.submission_id'),
        })),
    )
    .execute()
}

/** Records that a portion is done, and counts the outcomes of its rows. The last portion ends the pass and its task. */
export async function endPortion(
  tx: Transaction<Schema>,
  { importId, last, state, task, now }: PortionDone,
  {
    rows,
    results,
    ...more
  }: { rows: readonly { row: number }[]; results: readonly { outcome: RowOutcome }[]; owners?: string },
): Promise<void> {
  const through = rows.at(-1)?.row
  const countOf = (outcome: RowOutcome) => results.filter(one => one.outcome === outcome).length
  const counts = ['opened', 'joined', 'repeated', 'rejected', 'kept'] as const
  await tx
    .updateTable('imports')
    .set(eb => ({
      ...more,
      ...(through !== undefined && { through }),
      done: eb('done', '+', rows.length),
      ...Object.fromEntries(counts.map(name => [name, eb(name, '+', countOf(name))])),
      ...(last && { state: stateAfter[state] }),
      ...(last && state !== 'checking' && { finished_at: now }),
    }))
    .where('id', '=', importId)
    .execute()
  if (last) await finishTasks(tx, [task], now)
}

const stateAfter = { checking: 'checked', running: 'done', undoing: 'undone' } as const
