/**
 * Moves the leads of a status list to their new stages, and undoes that. The transaction of each portion also records
 * the progress, so no lead is moved twice, even if a process dies.
 */
import type { Kysely, Transaction } from 'kysely'
import type { RowProblem } from '../../leads/import/inquiry-of-row.ts'
import { isAfter, type ReadStatusRow, type StatusRow, whyNotMoved } from '../../leads/import/status-list.ts'
import { endedByItself, reasonName } from '../../leads/lead/stages.ts'
import { IMPORT_UNDO_TIME } from '../../leads/lead/undo-window.ts'
import { moveToStage } from '../actions/change-stage.ts'
import { undoEntry } from '../actions/undo-action.ts'
import { type LockedLead, lockLeads } from '../leads/leads.ts'
import type { Schema } from '../tables/schema.ts'
import { endNightlyList } from './nightly-lists.ts'
import {
  endPortion,
  lockRows,
  mayDo,
  type PortionDone,
  type RowResult,
  type StoredRow,
  saveResults,
} from './portions.ts'
import { rowsOfPeople } from './rows-of-people.ts'
import { findLeadsOfRows, leadsPutBack, STATUS_LIST } from './status-leads.ts'

/** A parsed row. `columns` says which column of the list each value came from. */
export type ReadRow = ReadStatusRow & { row: number; columns: Record<'email' | 'leadId' | 'stage', string> }

type Portion = PortionDone & { startsItself: boolean }

/** Saves which leads would move if the list were imported now. Returns false if the claim was lost. */
export async function checkStatusRows(
  db: Kysely<Schema>,
  { startsItself, ...portion }: Portion,
  rows: readonly ReadRow[],
): Promise<boolean> {
  return db.transaction().execute(async tx => {
    if (!(await mayDo(tx, portion))) return false
    const present = await lockRows(tx, portion.importId, rows)
    const results = await onceForEachLead(tx, portion, await decide(tx, present))
    await saveResults(tx, portion.importId, results)
    await endPortion(tx, portion, { rows, results, startsItself: startsItself && portion.last })
    return true
  })
}

/** Moves the leads that the check found, if they may still move. Returns false if the claim was lost. */
export async function moveStatusRows(
  db: Kysely<Schema>,
  { startsItself, ...portion }: Portion,
  rows: readonly (ReadRow & Pick<StoredRow, 'outcome'>)[],
): Promise<boolean> {
  const { importId, last, now } = portion
  return db.transaction().execute(async tx => {
    if (!(await mayDo(tx, portion))) return false
    const present = await lockRows(tx, importId, rows)
    const { results, leads } = await decideLocked(
      tx,
      present.filter(({ outcome }) => outcome === 'moved'),
    )
    const moved: RowResult[] = []
    for (const one of results) {
      const lead = leads.get(one.leadId ?? 0)
      if (one.outcome !== 'moved' || lead === undefined) {
        moved.push(one)
        continue
      }
      const change = { stage: one.stage, closedReason: null, keepsUnanswered: true, actor: `${STATUS_LIST}${importId}` }
      const entryId = await moveToStage(tx, lead, { ...change, now })
      moved.push(entryId === 'before' ? { ...one, outcome: 'repeated' } : { ...one, entryId })
    }
    await saveResults(tx, importId, moved)
    const others = present.flatMap(({ outcome }) => (outcome === null || outcome === 'moved' ? [] : { outcome }))
    await endPortion(tx, portion, { rows, results: [...moved, ...others] })
    if (last && startsItself) await endNightlyList(tx, importId, now)
    return true
  })
}

/** Puts leads back where they were, unless someone has changed them since. Returns false if the claim was lost. */
export async function undoStatusRows(
  db: Kysely<Schema>,
  portion: PortionDone,
  rows: readonly StoredRow[],
): Promise<boolean> {
  const { importId, now } = portion
  return db.transaction().execute(async tx => {
    if (!(await mayDo(tx, portion))) return false
    const present = await lockRows(tx, importId, rows)
    const moved = present.filter(({ outcome, entryId }) => outcome === 'moved' && entryId !== null)
    const leads = await lockById(
      tx,
      moved.flatMap(({ leadId }) => leadId ?? []),
    )
    const results: RowResult[] = []
    for (const { row, leadId, entryId } of moved) {
      const lead = leads.get(leadId ?? 0)
      if (lead === undefined || entryId === null) continue
      const how = { entryId, within: IMPORT_UNDO_TIME, away: undefined, actor: `${STATUS_LIST}${importId}`, now }
      const undone = await undoEntry(tx, lead, how)
      const outcome = undone === 'before' ? 'kept' : 'undone'
      results.push({ row, sender: lead.person_key, key: null, outcome, leadId: lead.id, entryId })
    }
    await saveResults(tx, importId, results)
    await endPortion(tx, portion, { rows, results })
    return true
  })
}

type Result = RowResult & { stage: string }

/** The outcome of each row; the leads are not locked. */
async function decide(tx: Transaction<Schema>, rows: readonly ReadRow[]): Promise<Result[]> {
  const named = rows.filter(isNamed)
  const found = await findLeadsOfRows(tx, named)
  const putBack = await leadsPutBack(
    tx,
    [...found.values()].flatMap(one => ('lead' in one ? one.lead.id : [])),
  )
  return rows.map((one): Result => {
    const nothing = { row: one.row, sender: one.sender, key: null, stage: '' }
    if ('leftOut' in one) return { ...nothing, outcome: 'left out' }
    if ('problems' in one) return { ...nothing, outcome: 'rejected', problems: one.problems }
    const because = (problem: RowProblem): Result => ({ ...nothing, outcome: 'rejected', problems: [problem] })
    const lead = found.get(one.row)
    if (lead === undefined || 'problem' in lead) {
      const reason = whyNotMoved[lead?.problem ?? 'noOne']
      return because({ column: one.columns[lead?.problem === 'noLead' ? 'leadId' : 'email'], reason })
    }
    const { id, person_key, closed_reason } = lead.lead
    const stage = endedByItself(closed_reason) ? 'new' : lead.lead.stage
    const about = { ...nothing, sender: person_key, leadId: id, stage: one.stage }
    const stays = (reason: string): Result => ({ ...because({ column: one.columns.stage, reason }), ...about })
    if (stage === one.stage) return { ...about, outcome: 'repeated' }
    if (stage === 'closed') return stays(`Someone has closed the lead: ${reasonName(closed_reason ?? '')}.`)
    if (isAfter(stage, one.stage)) return stays(whyNotMoved.ahead)
    if (putBack.get(id)?.has(one.stage)) return stays(whyNotMoved.putBack)
    return { ...about, key: one.stage, outcome: 'moved' }
  })
}

const isNamed = (row: ReadRow): row is ReadRow & StatusRow => 'stage' in row

/** Does the same with the leads locked, since a lead may have just been merged into another. */
async function decideLocked(tx: Transaction<Schema>, rows: readonly ReadRow[]) {
  for (;;) {
    const before = await decide(tx, rows)
    const leads = await lockById(
      tx,
      before.flatMap(({ leadId }) => leadId ?? []),
    )
    const results = await decide(tx, rows)
    if (results.every(({ leadId }) => leadId === undefined || leads.has(leadId))) return { results, leads }
  }
}

async function lockById(tx: Transaction<Schema>, ids: readonly number[]): Promise<Map<number, LockedLead>> {
  if (ids.length === 0) return new Map()
  const leads = await lockLeads(tx, [...new Set(ids)])
  return new Map(leads.map(lead => [lead.id, lead]))
}

/** If several rows are about one lead, the row with the furthest stage moves it. The others count as repeated. */
async function onceForEachLead(
  tx: Transaction<Schema>,
  { importId, through }: PortionDone,
  results: readonly Result[],
): Promise<RowResult[]> {
  const moving = results.filter(({ outcome }) => outcome === 'moved')
  const before = await earlierRows(tx, { importId, through }, moving)
  const furthest = new Map<number, { row: number; stage: string }>(before)
  const overtaken: RowResult[] = []
  const decided = new Map<number, RowResult>(results.map(one => [one.row, one]))
  for (const { row, stage, leadId = 0, sender } of moving) {
    const other = furthest.get(leadId)
    const loser = other === undefined ? undefined : isAfter(stage, other.stage) ? other.row : row
    if (loser !== row) furthest.set(leadId, { row, stage })
    if (loser === undefined) continue
    const repeated = { row: loser, sender, key: null, outcome: 'repeated', leadId } as const
    if (decided.has(loser)) decided.set(loser, repeated)
    else overtaken.push(repeated)
  }
  // Rows of earlier portions have already been counted.
  if (overtaken.length > 0) {
    await saveResults(tx, importId, overtaken)
    const count = overtaken.length
    await tx
      .updateTable('imports')
      .set(eb => ({ moved: eb('moved', '-', count), repeated: eb('repeated', '+', count) }))
      .where('id', '=', importId)
      .execute()
  }
  return [...decided.values()]
}

/** The rows of earlier portions that move these leads, with their stages. */
async function earlierRows(
  tx: Transaction<Schema>,
  { importId, through }: Pick<PortionDone, 'importId' | 'through'>,
  moving: readonly Result[],
): Promise<[lead: number, { row: number; stage: string }][]> {
  const people = [...new Set(moving.map(({ sender }) => sender))]
  const rows = await rowsOfPeople(tx, { lists: [importId], people, outcomes: ['moved'] })
  return rows.flatMap(({ row_number: row, lead_id, key }) =>
    lead_id === null || key === null || row > through ? [] : [[lead_id, { row, stage: key }]],
  )
}
