/** Undoes an imported list in portions: deletes what it added, except leads that someone has worked on since. */
import { type Kysely, sql, type Transaction } from 'kysely'
import { readFormDetails } from '../../leads/body/form-details.ts'
import { renewWords } from '../actions/renew-words.ts'
import { deleteSubmissions } from '../filing/quarantine-expiry.ts'
import { deleteLeads } from '../leads/delete-leads.ts'
import type { Schema } from '../tables/schema.ts'
import { endPortion, lockRows, mayDo, type PortionDone } from './portions.ts'

/**
 * Undoes rows. A lead that the import opened is deleted, unless its timeline shows anything else. A lead that existed
 * before only loses the inquiry. Returns false if the claim was lost.
 */
export async function undoImportRows(
  db: Kysely<Schema>,
  portion: PortionDone,
  rows: readonly { row: number; submissionId: number | null }[],
): Promise<boolean> {
  const { importId, now } = portion
  return db.transaction().execute(async tx => {
    if (!(await mayDo(tx, portion))) return false
    const present = await lockRows(tx, importId, rows)
    const ids = present.flatMap(({ submissionId }) => submissionId ?? [])
    const entries = await entriesOf(tx, ids)
    const own = await openedBy(tx, ids)
    const moved = entries.filter(({ id, leadId }) => id !== leadId && own.includes(id))
    const worked = await workedOn(tx, importId, own)
    // If a lead was merged into another, its inquiry is in the other lead's timeline.
    const kept = new Set([...worked, ...moved.map(({ id }) => id)])
    const undone = ids.filter(id => !kept.has(id))
    const joined = entries.filter(({ id, leadId }) => id !== leadId && undone.includes(id))
    const opened = entries.filter(({ id, leadId }) => id === leadId && undone.includes(id))
    await deleteLeads(
      tx,
      opened.map(({ id }) => id),
      { note: 'the import was undone', now },
    )
    if (joined.length > 0) {
      await tx
        .deleteFrom('timeline')
        .where(
          'id',
          'in',
          joined.map(({ entry }) => entry),
        )
        .execute()
    }
    await deleteSubmissions(tx, undone)
    const joinedLeads = new Set(joined.map(({ leadId }) => leadId))
    const leftOver = joinedLeads.difference(new Set(opened.map(({ leadId }) => leadId)))
    for (const leadId of leftOver) await renewWords(tx, leadId)
    const results = present.flatMap(({ row, submissionId }) =>
      submissionId === null ? [] : [{ row, outcome: kept.has(submissionId) ? ('kept' as const) : ('undone' as const) }],
    )
    await saveOutcomes(tx, importId, results)
    await endPortion(tx, portion, { rows, results })
    return true
  })
}

/** The entries of the inquiries; their leads are locked. */
async function entriesOf(
  tx: Transaction<Schema>,
  ids: readonly number[],
): Promise<{ entry: number; id: number; leadId: number }[]> {
  if (ids.length === 0) return []
  const rows = await tx
    .selectFrom('timeline')
    .select(['id', 'submission_id', 'lead_id'])
    .where('submission_id', 'in', ids)
    .where('kind', '=', sql.lit('submission'))
    .execute()
  await tx
    .selectFrom('leads')
    .select('id')
    .where(
      'id',
      'in',
      rows.map(row => row.lead_id),
    )
    .orderBy('id')
    .forUpdate()
    .execute()
  return rows.map(row => ({ entry: row.id, id: row.submission_id ?? 0, leadId: row.lead_id }))
}

/** Which of these inquiries opened a lead: the lead has the same id. */
async function openedBy(tx: Transaction<Schema>, ids: readonly number[]): Promise<number[]> {
  if (ids.length === 0) return []
  const rows = await tx.selectFrom('leads').select('id').where('id', 'in', ids).execute()
  return rows.map(({ id }) => id)
}

/**
 * Which of these leads have a timeline that shows more than that this import opened and assigned them: someone worked
 * on them, the person wrote, or they got an email.
 */
async function workedOn(tx: Transaction<Schema>, importId: number, leads: readonly number[]): Promise<Set<number>> {
  if (leads.length === 0) return new Set()
  const rows = await tx
    .selectFrom('timeline as e')
    .leftJoin('submissions as s', 's.id', 'e.submission_id')
    .select(['e.lead_id', 'e.kind', 's.form'])
    .where('e.lead_id', 'in', leads)
    .where(eb => eb.or([eb('s.id', 'is', null), eb('s.id', '<>', eb.ref('e.lead_id'))]))
    // Only an entry about a change by a person records what was before.
    .where(eb => eb.or([eb('e.kind', 'not in', ['assigned', 'stage']), eb('e.was', 'is not', null)]))
    .execute()
  const others = rows.filter(
    ({ kind, form }) => kind !== 'submission' || readFormDetails(form)?.entered?.importId !== importId,
  )
  return new Set(others.map(row => row.lead_id))
}

async function saveOutcomes(
  tx: Transaction<Schema>,
  importId: number,
  results: readonly { row: number; outcome: 'kept' | 'undone' }[],
): Promise<void> {
  for (const [outcome, some] of Map.groupBy(results, one => one.outcome)) {
    await tx
      .updateTable('import_rows')
      .set({ outcome, ...(outcome === 'undone' && { submission_id: null }) })
      .where('import_id', '=', importId)
      .where(
        'row_number',
        'in',
        some.map(({ row }) => row),
      )
      .execute()
  }
}

/** The leads that stayed when an import was undone, with their people's names, in the order of the rows. */
export async function listKeptLeads(
  db: Kysely<Schema>,
  importId: number,
  limit: number,
): Promise<{ id: number; firstName: string; lastName: string; owner: string | null }[]> {
  const rows = await db
    .selectFrom('import_rows')
    .innerJoin('leads', join =>
      join.on('leads.id', '=', eb => eb.fn.coalesce('import_rows.lead_id', 'import_rows.submission_id')),
    )
    .select(['leads.id', 'leads.first_name', 'leads.last_name', 'leads.owner'])
    .where('import_rows.import_id', '=', importId)
    .where('import_rows.outcome', '=', 'kept')
    .orderBy('import_rows.row_number')
    .limit(limit)
    .execute()
  return rows.map(row => ({ id: row.id, firstName: row.first_name, lastName: row.last_name, owner: row.owner }))
}
