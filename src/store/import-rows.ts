/** Queries on the rows of imported lists: what they hold, and what a pass has found of each. */
import { type Kysely, type Selectable, sql, type Transaction } from 'kysely'
import type { RowProblem } from '../leads/import-row.ts'
import type { ImportState, ImportTables, RowOutcome } from './import-tables.ts'
import { type Import, lockImport } from './imports.ts'
import type { Schema } from './schema.ts'
import { type ClaimedTask, finishTasks, renewTasks } from './tasks.ts'

export type StoredRow = {
  row: number
  cells: string[]
  outcome: RowOutcome | null
  problems: RowProblem[]
  submissionId: number | null
}

/** The next rows of a list, with the number of a row after which they begin; if given, only those of an outcome. */
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

const asStoredRow = (row: Selectable<ImportTables['import_rows']>): StoredRow => ({
  row: row.row_number,
  cells: JSON.parse(row.cells),
  outcome: row.outcome,
  problems: row.problems === null ? [] : JSON.parse(row.problems),
  submissionId: row.submission_id,
})

/** What a pass is to do next: the import and its next rows. Undefined if there is nothing to do. */
export async function readPortion(
  db: Kysely<Schema>,
  importId: number,
  limit: number,
): Promise<Portion | undefined> {
  const row = await db
    .selectFrom('imports')
    .select(['state', 'through', 'headers', 'plan', 'created_by'])
    .where('id', '=', importId)
    .executeTakeFirst()
  if (row === undefined || row.plan === null || !isPass(row.state)) return undefined
  const { state, through } = row
  const rows = await readImportRows(db, importId, { after: through, limit })
  return {
    ...{ importId, state, through, rows, last: rows.length < limit, by: row.created_by },
    ...{ headers: JSON.parse(row.headers), plan: JSON.parse(row.plan) },
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
export type PortionDone = Pick<Portion, 'importId' | 'state' | 'through' | 'last'> & {
  task: ClaimedTask
  now: number
}

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

/** Of these rows, those that are still there, locked: someone may have erased a person meanwhile. */
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

/** What a pass has found of a row. */
export type RowResult = {
  row: number
  emailKey: string
  key: string | null
  outcome: RowOutcome
  problems?: readonly RowProblem[]
  submissionId?: number
}

/** Saves what was found of rows that are locked. */
export async function saveResults(
  tx: Transaction<Schema>,
  importId: number,
  results: readonly RowResult[],
): Promise<void> {
  if (results.length === 0) return
  await tx
    .insertInto('import_rows')
    .values(
      results.map(({ row, emailKey, key, outcome, problems, submissionId }) => ({
        ...{ import_id: importId, row_number: row, cells: '', email_key: emailKey, key, outcome },
        problems: problems === undefined ? null : JSON.stringify(problems),
        submission_id: submissionId ?? null,
      })),
    )
    // The rows are there: one statement changes each in its own way, and leaves the cells.
    .onConflict(oc =>
      oc.columns(['import_id', 'row_number']).doUpdateSet(eb => ({
        email_key: eb.ref('excluded.email_key'),
        key: eb.ref('excluded.key'),
        outcome: eb.ref('excluded.outcome'),
        problems: eb.ref('excluded.problems'),
        submission_id: eb.ref('excluded.submission_id'),
      })),
    )
    .execute()
}

/** Counts a portion as done, by the outcome of its rows; the last one ends the pass and its task. */
export async function endPortion(
  tx: Transaction<Schema>,
  { importId, last, state, task, now }: PortionDone,
  {
    rows,
    results,
    ...more
  }: {
    rows: readonly { row: number }[]
    results: readonly { outcome: RowOutcome }[]
    owners?: string
  },
): Promise<void> {
  const through = rows.at(-1)?.row
  const of = (outcome: RowOutcome) => results.filter(one => one.outcome === outcome).length
  const counts = ['opened', 'joined', 'repeated', 'rejected', 'kept'] as const
  await tx
    .updateTable('imports')
    .set(eb => ({
      ...more,
      ...(through !== undefined && { through }),
      done: eb('done', '+', rows.length),
      ...Object.fromEntries(counts.map(name => [name, eb(name, '+', of(name))])),
      ...(last && { state: after[state] }),
      ...(last && state !== 'checking' && { finished_at: now }),
    }))
    .where('id', '=', importId)
    .execute()
  if (last) await finishTasks(tx, [task], now)
}

const after = { checking: 'checked', running: 'done', undoing: 'undone' } as const

export type PersonRow = { list: number; row: number; cells: string[] }

/** The rows of a person in all lists that are still stored, wherever the address stands in them. `keys`: as `emailKey` has them. */
export async function findImportRows(
  db: Kysely<Schema>,
  keys: readonly string[],
): Promise<PersonRow[]> {
  const found = new Map<string, PersonRow>()
  for (const key of keys) {
    const pattern = `%${key.replace(/[!%_]/g, '!$&')}%`
    const rows = await db
      .selectFrom('import_rows')
      .select(['import_id', 'row_number', 'cells', 'email_key'])
      .where(eb =>
        eb.or([eb('email_key', '=', key), sql<boolean>`lower(cells) like ${pattern} escape '!'`]),
      )
      .execute()
    for (const { import_id: list, row_number: row, cells, email_key } of rows)
      if (email_key === key || namesAddress(cells, key))
        found.set(`${list} ${row}`, { list, row, cells: JSON.parse(cells) })
  }
  return [...found.values()]
}

/** Deletes these rows: part of erasing the person. Returns how many there were. */
export async function eraseImportRows(
  tx: Transaction<Schema>,
  keys: readonly string[],
): Promise<number> {
  const rows = await findImportRows(tx, keys)
  for (const { list, row } of rows)
    await tx
      .deleteFrom('import_rows')
      .where('import_id', '=', list)
      .where('row_number', '=', row)
      .execute()
  return rows.length
}

/** Whether a text has exactly this address, and not one that only ends or begins like it. */
export function namesAddress(text: string, key: string): boolean {
  const addresses = text.toLowerCase().split(/[\s",;:<>()[\]\\]+/)
  return addresses.some(one => one === key || one.replace(/\.$/, '') === key)
}
