/** The dry run of an imported list: the outcome of each row if it were imported now. */
import type { Kysely, Transaction } from 'kysely'
import type { Kind } from '../../leads/body/submission.ts'
import type { RowProblem } from '../../leads/import/inquiry-of-row.ts'
import { mergedPeople, writerKey } from '../leads/merged-leads.ts'
import type { Schema } from '../tables/schema.ts'
import type { Import } from './imports.ts'
import { endPortion, lockRows, mayDo, type PortionDone, type RowResult, saveResults } from './portions.ts'
import { rowsOfPeople, waitingRows } from './rows-of-people.ts'

/** A row that cannot become an inquiry. `sender` is the key of the person, '' if it has none. */
export type RejectedRow = { row: number; sender: string; problems: RowProblem[] }

/** A row that can become an inquiry. `key` is its idempotency key; `problems` are values that will be left out. */
export type ReadyRow = { row: number; sender: string; key: string; problems?: RowProblem[] }

/** Saves the outcome that rows would have if they were imported now. Returns false if the claim was lost. */
export async function checkImportRows(
  db: Kysely<Schema>,
  portion: PortionDone,
  rows: readonly (RejectedRow | ReadyRow)[],
  kind: Kind,
): Promise<boolean> {
  return db.transaction().execute(async tx => {
    if (!(await mayDo(tx, portion))) return false
    const present = await lockRows(tx, portion.importId, rows)
    const ready = present.filter(isReady)
    const stored = await storedKeys(tx, ready)
    const open = await peopleWithLeads(tx, kind, ready)
    const before = await rowsBefore(tx, portion, kind, ready)
    const keys = new Set(before.map(row => row.key))
    const people = new Set(before.map(row => row.person_key))
    const results = present.map((one): RowResult => {
      if (!isReady(one)) return { ...one, key: null, outcome: 'rejected' }
      const repeated = stored.has(one.key) || keys.has(one.key)
      const known = open.has(one.sender) || people.has(one.sender)
      keys.add(one.key)
      people.add(one.sender)
      return { ...one, outcome: repeated ? 'repeated' : known ? 'joined' : 'opened' }
    })
    await saveResults(tx, portion.importId, results)
    await endPortion(tx, portion, { rows, results })
    return true
  })
}

export const isReady = <R extends ReadyRow>(row: RejectedRow | R): row is R => 'key' in row

/** Rows of these people that would be imported earlier: previous rows, and rows that wait in other lists. */
async function rowsBefore(
  tx: Transaction<Schema>,
  { importId, through }: PortionDone,
  kind: Kind,
  rows: readonly ReadyRow[],
) {
  const people = peopleOf(rows)
  const own = await rowsOfPeople(tx, { lists: [importId], people })
  const waiting = await waitingRows(tx, { importId, kind, people })
  return [...own.filter(({ row_number }) => row_number <= through), ...waiting]
}

const peopleOf = (rows: readonly Pick<ReadyRow, 'sender'>[]): string[] => [...new Set(rows.map(one => one.sender))]

/** The keys of these rows under which an inquiry is already stored. */
export async function storedKeys(tx: Transaction<Schema>, rows: readonly ReadyRow[]): Promise<Set<string>> {
  if (rows.length === 0) return new Set()
  const found = await tx
    .selectFrom('idempotency_keys')
    .innerJoin('submissions', 'submissions.id', 'idempotency_keys.submission_id')
    .select('idempotency_keys.key')
    .where(
      'idempotency_keys.key',
      'in',
      rows.map(({ key }) => key),
    )
    .execute()
  return new Set(found.map(({ key }) => key))
}

/** The ids of these people's open leads, by key. If a lead was merged into another, the id of the kept lead. */
async function peopleWithLeads(
  tx: Kysely<Schema>,
  kind: Kind,
  rows: readonly Pick<ReadyRow, 'sender'>[],
): Promise<Map<string, number>> {
  if (rows.length === 0) return new Map()
  const found = await tx
    .selectFrom('leads')
    .select(['id', 'person_key'])
    .where('person_key', 'in', peopleOf(rows))
    .where('kind', '=', kind)
    .where('stage', '<>', 'closed')
    .execute()
  const people = new Map(found.map(row => [row.person_key, row.id]))
  const writers = peopleOf(rows).map(key => ({ kind, key }))
  const merged = await mergedPeople(tx, writers)
  for (const { key } of writers) {
    const lead = merged.get(writerKey({ kind, key }))
    if (lead !== undefined) people.set(key, lead.kept)
  }
  return people
}

/**
 * How many people of the checked rows have an open lead, or a row in another list that is being imported, and how many
 * rows repeat a person of this list.
 */
export async function countKnownPeople(
  db: Kysely<Schema>,
  { id, counts }: Pick<Import, 'id' | 'counts'>,
): Promise<{ known: number; twice: number }> {
  const { people } = await db
    .selectFrom('import_rows')
    .select(eb => eb.fn.count<number | string>('person_key').distinct().as('people'))
    .where('import_id', '=', id)
    .where('outcome', 'in', ['opened', 'joined'])
    .executeTakeFirstOrThrow()
  // Someone may have been erased since the check.
  const known = Math.max(0, Number(people) - counts.opened)
  return { known, twice: Math.max(0, counts.joined - known) }
}

/** How many rows are searched for people with an open lead. */
const LOOKED_AT = 500

/** The first people of a checked list who have an open lead, in the order of the rows. */
export async function listKnownPeople(
  db: Kysely<Schema>,
  importId: number,
  { kind, limit }: { kind: Kind; limit: number },
): Promise<{ id: number; firstName: string; lastName: string }[]> {
  const rows = await db
    .selectFrom('import_rows')
    .select('person_key as sender')
    .where('import_id', '=', importId)
    .where('outcome', '=', 'joined')
    .orderBy('row_number')
    .limit(LOOKED_AT)
    .execute()
  const people = rows.flatMap(({ sender }) => (sender === null ? [] : [{ sender }]))
  const leads = await peopleWithLeads(db, kind, people)
  const ids = [...new Set(people.flatMap(({ sender }) => leads.get(sender) ?? []))]
  if (ids.length === 0) return []
  const found = await db
    .selectFrom('leads')
    .select(['id', 'first_name', 'last_name'])
    .where('id', 'in', ids.slice(0, limit))
    .execute()
  const names = new Map(found.map(row => [row.id, row]))
  return ids.flatMap(id => {
    const row = names.get(id)
    return row === undefined ? [] : [{ id, firstName: row.first_name, lastName: row.last_name }]
  })
}
