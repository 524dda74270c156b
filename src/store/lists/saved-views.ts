/** Queries on saved views: filters of the inbox with a name, either an operator's own or shared with everyone. */
import type { Kysely } from 'kysely'
import { type AuditEntry, audited, changeAudited, recordAudit } from '../operators/audit-log.ts'
import type { Schema } from '../tables/schema.ts'

export type SavedView = {
  id: number
  name: string
  /** The part of a URL after `?`. */
  filter: string
  shared: boolean
  /** Whether it belongs to the operator who asks. */
  own: boolean
}

export const MOST_VIEWS = 50

/** The views of an operator and the shared ones, by name. */
export async function listViews(db: Kysely<Schema>, operatorId: number): Promise<SavedView[]> {
  const rows = await db
    .selectFrom('saved_views')
    .selectAll()
    .where(eb => eb.or([eb('operator_id', '=', operatorId), eb('shared', '=', 1)]))
    .execute()
  return rows
    .map(({ id, name, filter, shared, operator_id }) => ({
      id,
      name,
      filter,
      shared: shared === 1,
      own: operator_id === operatorId,
    }))
    .toSorted((one, other) => one.name.localeCompare(other.name))
}

/** Saves a view in place of one of the same operator and name. Returns false if there are too many. */
export async function saveView(
  db: Kysely<Schema>,
  operatorId: number,
  { name, filter, shared, now, audit = [] }: NewView,
): Promise<boolean> {
  return audited(db, audit, async tx => {
    const own = await tx.selectFrom('saved_views').select('name').where('operator_id', '=', operatorId).execute()
    if (own.length >= MOST_VIEWS && !own.some(view => view.name === name)) return false
    const values = { filter, shared: shared ? (1 as const) : (0 as const), created_at: now }
    await tx
      .insertInto('saved_views')
      .values({ operator_id: operatorId, name, ...values })
      .onConflict(oc => oc.columns(['operator_id', 'name']).doUpdateSet(values))
      .execute()
    return true
  })
}

type Audited = { audit?: readonly AuditEntry[] }
type NewView = Pick<SavedView, 'name' | 'filter' | 'shared'> & { now: number } & Audited

/** Renames a view of an operator, and returns its filter. `taken`: another of the operator's views has that name. */
export async function renameView(
  db: Kysely<Schema>,
  id: number,
  { operatorId, name, audit = [] }: { operatorId: number; name: string } & Audited,
): Promise<Pick<SavedView, 'filter'> | 'gone' | 'taken'> {
  return db.transaction().execute(async tx => {
    const own = await tx
      .selectFrom('saved_views')
      .select(['id', 'name', 'filter'])
      .where('operator_id', '=', operatorId)
      .execute()
    const view = own.find(one => one.id === id)
    if (view === undefined) return 'gone'
    if (own.some(one => one.id !== id && one.name === name)) return 'taken'
    await tx.updateTable('saved_views').set({ name }).where('id', '=', id).execute()
    await recordAudit(tx, audit)
    return { filter: view.filter }
  })
}

/** Deletes a view of an operator or, with `anyone`, a shared view of someone else. */
export async function deleteView(
  db: Kysely<Schema>,
  id: number,
  { operatorId, anyone, audit = [] }: { operatorId: number; anyone: boolean } & Audited,
): Promise<boolean> {
  return changeAudited(db, audit, tx =>
    tx
      .deleteFrom('saved_views')
      .where('id', '=', id)
      .where(eb => eb.or([eb('operator_id', '=', operatorId), ...(anyone ? [eb('shared', '=', 1)] : [])])),
  )
}
