/** Queries on the rows of imported lists: their cells, and the result of a pass for each row. */
import type { Kysely, Selectable, Transaction } from 'kysely'
import type { ImportPlan, RowProblem } from '../../leads/import/inquiry-of-row.ts'
import type { StatusPlan } from '../../leads/import/status-list.ts'
import type { ImportState, ImportTables, RowOutcome } from '../tables/import-tables.ts'
import type { Schema } from '../tables/schema.ts'
import { type ClaimedTask, finishTasks, renewTasks } from '../tasks/tasks.ts'
import { type Import, lockImport, NO_COUNTS } from './imports.ts'

export type StoredRow = {
  row: number
  cells: string[]
  outcome: RowOutcome | null
  problems: RowProblem[]
  submissionId: number | null
  /** For a status list: the lead of the row, and the entry of the timeline that says that it was moved. */
  leadId: number | null
  entryId: number | null
}

/** The next rows of a list after the row with the number `after`; with `outcome`, only the rows that have it. */
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

/** How many different sets of values are read; the most frequent come first. */
const MOST_UNREAD = 300

/** A word of a list that could not be read, and how many rows are imported without it. */
export type UnreadValue = RowProblem & { rows: number }

export async function listUnreadValues(db: Kysely<Schema>, importId: number): Promise<UnreadValue[]> {
  const all = await listProblems(db, importId, ['opened', 'joined', 'kept'])
  const values = Map.groupBy(all, ({ column, value = '' }) => JSON.stringify([column, value]))
  return summed(values)
}

/** The reasons why rows are rejected, and how many rows each applies to; the most frequent first. */
export async function listRejections(db: Kysely<Schema>, importId: number): Promise<UnreadValue[]> {
  return summed(Map.groupBy(await listProblems(db, importId, ['rejected']), ({ reason }) => reason))
}

/** Words that no one has explained, in rows that are rejected for them; the most frequent first. */
export async function listUnknownWords(db: Kysely<Schema>, importId: number): Promise<UnreadValue[]> {
  const all = await listProblems(db, importId, ['rejected'])
  const words = all.filter(({ field, value }) => field !== undefined && value !== undefined)
  return summed(Map.groupBy(words, ({ field, value }) => JSON.stringify([field, value])))
}

async function listProblems(
  db: Kysely<Schema>,
  importId: number,
  outcomes: readonly RowOutcome[],
): Promise<UnreadValue[]> {
  const rows = await db
    .selectFrom('import_rows')
    .select(eb => ['problems', eb.fn.countAll<number>().as('rows')])
    .where('import_id', '=', importId)
    .where('outcome', 'in', outcomes)
    .where('problems', 'is not', null)
    .groupBy('problems')
    .orderBy('rows', 'desc')
    .limit(MOST_UNREAD)
    .execute()
  return rows.flatMap(({ problems, rows: count }) =>
    (JSON.parse(problems ?? '[]') as RowProblem[]).map(problem => ({ ...problem, rows: Number(count) })),
  )
}

const summed = (groups: Map<string, UnreadValue[]>): UnreadValue[] =>
  [...groups.values()]
    .flatMap(([first, ...others]) =>
      first === undefined ? [] : { ...first, rows: others.reduce((sum, one) => sum + one.rows, first.rows) },
    )
    .toSorted((one, other) => other.rows - one.rows)

const asStoredRow = (row: Selectable<ImportTables['import_rows']>): StoredRow => ({
  row: row.row_number,
  cells: JSON.parse(row.cells),
  outcome: row.outcome,
  problems: row.problems === null ? [] : JSON.parse(row.problems),
  submissionId: row.submission_id,
  leadId: row.lead_id,
  entryId: row.entry_id,
})

/** The next portion of a pass: the import and its next rows. Undefined if there is nothing to do. */
export async function readPortion(db: Kysely<Schema>, importId: number, limit: number): Promise<Portion | undefined> {
  const row = await db
    .selectFrom('imports')
    .select(['state', 'through', 'headers', 'plan', 'purpose', 'created_by'])
    .where('id', '=', importId)
    .executeTakeFirst()
  if (row === undefined || row.plan === null || !isPass(row.state)) return undefined
  const { state, through, purpose } = row
  const rows = await readImportRows(db, importId, { after: through, limit })
  return {
    importId,
    state,
    through,
    rows,
    last: rows.length < limit,
    by: row.created_by,
    headers: JSON.parse(row.headers),
    purpose,
    plan: JSON.parse(row.plan),
  }
}

const passes = ['checking', 'running', 'undoing'] as const
export type Pass = (typeof passes)[number]
const isPass = (state: ImportState): state is Pass => passes.some(pass => pass === state)

export type Portion = Pick<Import, 'headers'> & {
  importId: number
  state: Pass
  /** The number of the row that this portion begins after. */
  through: number
  rows: StoredRow[]
  /** Whether these are the last rows. */
  last: boolean
  by: string
} & ({ purpose: 'people'; plan: ImportPlan } | { purpose: 'status'; plan: StatusPlan })

export type PeoplePortion = Extract<Portion, { purpose: 'people' }>
export type StatusPortion = Extract<Portion, { purpose: 'status' }>

/** Which rows of a list a pass handles, and the claim under which it does so. */
export type PortionDone = Pick<Portion, 'importId' | 'state' | 'through' | 'last'> & { task: ClaimedTask; now: number }

/** Locks the import for a portion: true only if the claim is held, it is not done, and no other pass has begun. */
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

/** The result of a pass for a row. */
export type RowResult = {
  row: number
  sender: string
  key: string | null
  outcome: RowOutcome
  problems?: readonly RowProblem[]
  submissionId?: number
  leadId?: number
  entryId?: number
}

/** Saves the results for rows, which are locked. */
export async function saveResults(
  tx: Transaction<Schema>,
  importId: number,
  results: readonly RowResult[],
): Promise<void> {
  if (results.length === 0) return
  await tx
    .insertInto('import_rows')
    .values(
      results.map(({ row, sender, key, outcome, problems, submissionId, leadId, entryId }) => ({
        import_id: importId,
        row_number: row,
        cells: '',
        person_key: sender,
        key,
        outcome,
        problems: problems === undefined ? null : JSON.stringify(problems),
        submission_id: submissionId ?? null,
        lead_id: leadId ?? null,
        entry_id: entryId ?? null,
      })),
    )
    // The rows exist, so the conflict always occurs. This way, one statement changes each row differently and leaves
    // its cells as they are.
    .onConflict(oc =>
      oc
        .columns(['import_id', 'row_number'])
        .doUpdateSet(eb => ({
          person_key: eb.ref('excluded.person_key'),
          key: eb.ref('excluded.key'),
          outcome: eb.ref('excluded.outcome'),
          problems: eb.ref('excluded.problems'),
          submission_id: eb.ref('excluded.submission_id'),
          lead_id: eb.ref('excluded.lead_id'),
          entry_id: eb.ref('excluded.entry_id'),
        })),
    )
    .execute()
}

/** Records that a portion is done, and counts its rows' outcomes. The last portion ends the pass and its task. */
export async function endPortion(
  tx: Transaction<Schema>,
  { importId, last, state, task, now }: PortionDone,
  {
    rows,
    results,
    startsItself = false,
    ...more
  }: {
    rows: readonly { row: number }[]
    results: readonly { outcome: RowOutcome }[]
    owners?: string
    /** Whether the import begins automatically as soon as the list is checked. */
    startsItself?: boolean
  },
): Promise<void> {
  const through = rows.at(-1)?.row
  const countOf = (outcome: RowOutcome) => results.filter(one => one.outcome === outcome).length
  const ended = last ? { state: stateAfter[state], ...(state !== 'checking' && { finished_at: now }) } : {}
  await tx
    .updateTable('imports')
    .set(eb => ({
      ...more,
      ...(through !== undefined && { through }),
      done: eb('done', '+', rows.length),
      ...Object.fromEntries(counted.map(name => [name, eb(name, '+', countOf(name))])),
      left_out: eb('left_out', '+', countOf('left out')),
      ...(startsItself ? { state: 'running' as const, through: 0, done: 0, ...NO_COUNTS } : ended),
    }))
    .where('id', '=', importId)
    .execute()
  if (last && !startsItself) await finishTasks(tx, [task], now)
}

const counted = ['opened', 'joined', 'moved', 'repeated', 'rejected', 'kept'] as const

const stateAfter = { checking: 'checked', running: 'done', undoing: 'undone' } as const
