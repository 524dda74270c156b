/** Queries on imported lists: the upload, the choices for it, and the progress of its import. */
import type { Kysely, Selectable, Transaction } from 'kysely'
import type { ImportPlan } from '../../leads/import/inquiry-of-row.ts'
import type { StatusPlan } from '../../leads/import/status-list.ts'
import { IMPORT_UNDO_TIME } from '../../leads/lead/undo-window.ts'
import { type AuditEntry, audited, changeAudited, recordAudit } from '../operators/audit-log.ts'
import type { ImportPurpose, ImportState, ImportTables } from '../tables/import-tables.ts'
import type { Schema } from '../tables/schema.ts'
import { BEGINS_AGAIN } from '../tasks/tasks.ts'

export type Import = {
  id: number
  createdAt: number
  createdBy: string
  fileName: string
  headers: string[]
  /** Equal for files with the same headers. */
  digest: string
  purpose: ImportPurpose
  /** The choices for a list of people; null for a status list, which has a plan of its own. */
  plan: ImportPlan | null
  statusPlan: StatusPlan | null
  state: ImportState
  rows: number
  /** How many rows the current pass has done. */
  done: number
  counts: Record<'opened' | 'joined' | 'moved' | 'repeated' | 'leftOut' | 'rejected', number>
  kept: number
  owners: ImportedFor[]
  finishedAt: number | null
  hasRows: boolean
}

/** How many leads of an owner (null: the team) an import has opened, and to how many more it has added an inquiry. */
export type ImportedFor = { owner: string | null; opened: number; joined: number }

/** Adds an import that has no rows yet; returns its id. */
export async function addImport(
  db: Kysely<Schema>,
  {
    fileName,
    headers,
    digest,
    by,
    now,
    purpose = 'people',
    fileKey = null,
  }: {
    fileName: string
    headers: readonly string[]
    /** Equal for files with the same headers. */
    digest: string
    by: string
    now: number
    purpose?: ImportPurpose | undefined
    /** Equal only for the same file in the folder of status lists. */
    fileKey?: string | null | undefined
  },
): Promise<number> {
  const { id } = await db
    .insertInto('imports')
    .values({
      created_at: now,
      created_by: by,
      file_name: fileName,
      purpose,
      file_key: fileKey,
      headers: JSON.stringify(headers),
      headers_digest: digest,
      state: 'reading' as const,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

export async function addImportRows(
  db: Kysely<Schema>,
  importId: number,
  rows: readonly { row: number; cells: readonly string[] }[],
): Promise<void> {
  await db
    .insertInto('import_rows')
    .values(
      rows.map(({ row, cells }) => ({
        import_id: importId,
        row_number: row,
        cells: JSON.stringify(cells),
        person_key: null,
        key: null,
        outcome: null,
        problems: null,
        submission_id: null,
      })),
    )
    .execute()
}

/** Ends the upload of a list: all rows of the file are stored. */
export async function endUpload(
  db: Kysely<Schema>,
  id: number,
  { rows, audit }: { rows: number; audit: readonly AuditEntry[] },
): Promise<void> {
  await audited(db, audit, async tx => {
    await tx
      .updateTable('imports')
      .set({ state: 'draft', row_count: rows })
      .where('id', '=', id)
      .where('state', '=', 'reading')
      .execute()
  })
}

export async function readImport(db: Kysely<Schema>, id: number): Promise<Import | undefined> {
  const row = await db.selectFrom('imports').selectAll().where('id', '=', id).executeTakeFirst()
  return row && row.state !== 'discarded' ? asImport(row) : undefined
}

/** The newest imports, except those whose files are not completely read yet. */
export async function listImports(db: Kysely<Schema>, limit: number): Promise<Import[]> {
  const rows = await db
    .selectFrom('imports')
    .selectAll()
    .where('state', 'not in', ['reading', 'discarded'])
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
  return rows.map(asImport)
}

/** The choices for the latest import of a file with the same headers. */
export async function recallPlan(db: Kysely<Schema>, digest: string): Promise<ImportPlan | undefined> {
  const row = await db
    .selectFrom('imports')
    .select('plan')
    .where('headers_digest', '=', digest)
    .where('purpose', '=', 'people')
    .where('plan', 'is not', null)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.plan ? JSON.parse(row.plan) : undefined
}

/** Begins to check all rows with a plan: a dry run. `before`: the import was started. `gone`: it was discarded. */
export function checkImport(
  db: Kysely<Schema>,
  id: number,
  { plan, now, audit }: { plan: ImportPlan | StatusPlan } & Pick<NewPass, 'now' | 'audit'>,
): Promise<StateChange> {
  const change = { plan: JSON.stringify(plan), state: 'checking' as const }
  return beginPass(db, id, { from: ['draft', 'checking', 'checked'], change, now, audit })
}

/** Begins to import all rows with the checked plan. Returns the same as `checkImport`. */
export function startImport(
  db: Kysely<Schema>,
  id: number,
  { now, audit }: Pick<NewPass, 'now' | 'audit'>,
): Promise<StateChange> {
  return beginPass(db, id, { from: ['checked'], change: { state: 'running' }, now, audit })
}

/**
 * Begins to undo a whole import that is under way or ended less than a day ago. Leads that someone has worked on since
 * are kept. Returns the same as `checkImport`.
 */
export function undoImport(
  db: Kysely<Schema>,
  id: number,
  { now, audit }: Pick<NewPass, 'now' | 'audit'>,
): Promise<StateChange> {
  return beginPass(db, id, { from: ['running', 'done'], change: { state: 'undoing' }, now, audit })
}

export type StateChange = 'done' | 'before' | 'gone'

type NewPass = {
  from: ImportState[]
  change: { state: ImportState; plan?: string }
  now: number
  /** The entry of the audit log, which is written if the pass begins. */
  audit?: AuditEntry | undefined
}

async function beginPass(db: Kysely<Schema>, id: number, { from, change, now, audit }: NewPass): Promise<StateChange> {
  return db.transaction().execute(async tx => {
    const row = await lockImport(tx, id)
    if (row === undefined || row.state === 'discarded') return 'gone'
    const expired = row.finished_at !== null && row.finished_at <= now - IMPORT_UNDO_TIME
    if (!from.includes(row.state) || expired || row.has_rows === 0) return 'before'
    // When an import is undone, its counts stay.
    const counts = change.state === 'undoing' ? {} : NO_COUNTS
    await tx
      .updateTable('imports')
      .set({ ...change, through: 0, done: 0, ...counts })
      .where('id', '=', id)
      .execute()
    const due = { ...BEGINS_AGAIN, due_at: 0, created_at: now }
    await tx
      .insertInto('tasks')
      .values({ lane: 'imports', kind: 'import', subject: id, through: null, ...due })
      .onConflict(oc => oc.columns(['kind', 'subject', 'step']).doUpdateSet(due))
      .execute()
    if (audit !== undefined) await recordAudit(tx, audit)
    return 'done'
  })
}

export const NO_COUNTS = {
  opened: 0,
  joined: 0,
  moved: 0,
  repeated: 0,
  left_out: 0,
  rejected: 0,
  kept: 0,
  owners: '{}',
}

/** Discards an import that was never started; its rows are deleted within the hour. Returns false if it was started. */
export async function discardImport(
  db: Kysely<Schema>,
  id: number,
  audit: readonly AuditEntry[] = [],
): Promise<boolean> {
  return changeAudited(db, audit, tx =>
    tx
      .updateTable('imports')
      .set({ state: 'discarded', plan: null, file_key: null })
      .where('id', '=', id)
      .where('state', 'in', ['reading', 'draft', 'checking', 'checked']),
  )
}

/** Locks an import. Every transaction locks the import before its task, and both before leads. */
export const lockImport = (tx: Transaction<Schema>, id: number) =>
  tx.selectFrom('imports').selectAll().where('id', '=', id).forUpdate().executeTakeFirst()

type OwnerCounts = Record<string, [opened: number, joined: number]>

/** The counts by owner with more counts added, in the form that is stored. */
export function addToOwners(stored: string, more: readonly ImportedFor[]): string {
  const counts: OwnerCounts = JSON.parse(stored)
  for (const { owner, opened, joined } of more) {
    const [before, joinedBefore] = counts[owner ?? ''] ?? [0, 0]
    counts[owner ?? ''] = [before + opened, joinedBefore + joined]
  }
  return JSON.stringify(counts)
}

export const readOwners = (stored: string): ImportedFor[] =>
  Object.entries(JSON.parse(stored) as OwnerCounts).map(([owner, [opened, joined]]) => ({
    owner: owner === '' ? null : owner,
    opened,
    joined,
  }))

const asImport = (row: Selectable<ImportTables['imports']>): Import => ({
  id: row.id,
  createdAt: row.created_at,
  createdBy: row.created_by,
  fileName: row.file_name,
  headers: JSON.parse(row.headers),
  digest: row.headers_digest,
  purpose: row.purpose,
  plan: row.plan === null || row.purpose === 'status' ? null : JSON.parse(row.plan),
  statusPlan: row.plan === null || row.purpose === 'people' ? null : JSON.parse(row.plan),
  state: row.state,
  rows: row.row_count,
  done: row.done,
  counts: {
    opened: row.opened,
    joined: row.joined,
    moved: row.moved,
    repeated: row.repeated,
    leftOut: row.left_out,
    rejected: row.rejected,
  },
  kept: row.kept,
  owners: readOwners(row.owners),
  finishedAt: row.finished_at,
  hasRows: row.has_rows === 1,
})
