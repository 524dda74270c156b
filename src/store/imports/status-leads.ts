/** The leads that the rows of a status list are about. */
import type { Kysely } from 'kysely'
import type { StatusRow, whyNotMoved } from '../../leads/import/status-list.ts'
import type { Schema } from '../tables/schema.ts'

/** The name of the actor in a status list's changes, before the number of the list. */
export const STATUS_LIST = 'status list '

const columns = ['id', 'kind', 'person_key', 'stage', 'closed_reason', 'merged_into'] as const

type FoundLead = Pick<{ [K in keyof Schema['leads']]: Schema['leads'][K] }, 'kind' | 'person_key' | 'stage'> & {
  id: number
  closed_reason: string | null
  merged_into: number | null
}

type RowLead = { lead: FoundLead } | { problem: keyof typeof whyNotMoved }

/**
 * Finds the student lead that each row is about, or the reason why there is none, by the number of the row. An address
 * means its open lead or, without one, its latest lead; a merged lead means the kept lead. If the address is unknown,
 * the id counts.
 */
export async function findLeadsOfRows(
  db: Kysely<Schema>,
  rows: readonly (StatusRow & { row: number })[],
): Promise<Map<number, RowLead>> {
  const keys = [...new Set(rows.flatMap(({ sender }) => (sender === '' ? [] : [sender])))]
  const ids = [...new Set(rows.flatMap(({ leadId }) => leadId ?? []))]
  const own = [...(await readLeads(db, 'person_key', keys)), ...(await readLeads(db, 'id', ids))]
  const all = await withKept(db, own)
  const byKey = Map.groupBy(own, ({ person_key }) => person_key)
  const best = (leads: readonly FoundLead[]): FoundLead | undefined =>
    leads
      .flatMap(lead => keptOf(lead, all) ?? [])
      .filter(({ kind }) => kind === 'student')
      .toSorted(
        (one, other) => Number(one.stage === 'closed') - Number(other.stage === 'closed') || other.id - one.id,
      )[0]
  const found = new Map<number, RowLead>()
  for (const { row, sender, leadId } of rows) {
    const byAddress = best(byKey.get(sender) ?? [])
    const known = all.get(leadId ?? 0)
    const byId = known && best([known])
    if (leadId === undefined) found.set(row, byAddress === undefined ? { problem: 'noOne' } : { lead: byAddress })
    else if (byId === undefined) found.set(row, { problem: 'noLead' })
    else if (byAddress !== undefined && byAddress.person_key !== byId.person_key) found.set(row, { problem: 'several' })
    // Someone who wrote again after their lead was closed has a new one.
    else found.set(row, { lead: best([byId, ...(byAddress === undefined ? [] : [byAddress])]) ?? byId })
  }
  return withOpenLeads(db, found)
}

async function readLeads(
  db: Kysely<Schema>,
  column: 'id' | 'person_key',
  values: readonly (number | string)[],
): Promise<FoundLead[]> {
  if (values.length === 0) return []
  return db.selectFrom('leads').select(columns).where(column, 'in', values).orderBy('id').execute()
}

/** Leads by their ids. A merged lead brings the lead that it was merged into. */
async function withKept(db: Kysely<Schema>, leads: readonly FoundLead[]): Promise<Map<number, FoundLead>> {
  const all = new Map(leads.map(lead => [lead.id, lead]))
  for (let next = leads; next.length > 0; ) {
    const into = next.flatMap(({ merged_into }) => (merged_into === null || all.has(merged_into) ? [] : [merged_into]))
    next = await readLeads(db, 'id', [...new Set(into)])
    for (const lead of next) all.set(lead.id, lead)
  }
  return all
}

function keptOf(lead: FoundLead, all: ReadonlyMap<number, FoundLead>): FoundLead | undefined {
  if (lead.merged_into === null) return lead
  const into = all.get(lead.merged_into)
  return into && keptOf(into, all)
}

/** If a row names a closed lead by its id, uses the person's open lead instead. */
async function withOpenLeads(db: Kysely<Schema>, found: Map<number, RowLead>): Promise<Map<number, RowLead>> {
  const closed = [...found].flatMap(([row, one]) =>
    'lead' in one && one.lead.stage === 'closed' ? [[row, one.lead] as const] : [],
  )
  const open = await readLeads(db, 'person_key', [...new Set(closed.map(([, lead]) => lead.person_key))])
  for (const [row, { person_key }] of closed) {
    const lead = open.find(one => one.person_key === person_key && one.kind === 'student' && one.stage !== 'closed')
    if (lead !== undefined) found.set(row, { lead })
  }
  return found
}

/** By lead: the stages that a status list gave it and that someone at the school took back, other than by an undo. */
export async function leadsPutBack(db: Kysely<Schema>, leads: readonly number[]): Promise<Map<number, Set<string>>> {
  if (leads.length === 0) return new Map()
  const rows = await db
    .selectFrom('timeline')
    .select(['lead_id', 'kind', 'detail', 'actor'])
    .where('lead_id', 'in', [...new Set(leads)])
    .where('kind', 'in', ['stage', 'undone'])
    .orderBy('id')
    .execute()
  const stages = new Map<number, Set<string>>()
  for (const [lead, entries] of Map.groupBy(rows, ({ lead_id }) => lead_id)) {
    const isOfList = ({ actor }: { actor: string | null }) => actor?.startsWith(STATUS_LIST) ?? false
    if (entries.at(-1) === undefined || isOfList(entries.at(-1) ?? { actor: null })) continue
    const given = entries.filter(entry => entry.kind === 'stage' && isOfList(entry)).map(({ detail }) => detail)
    if (given.length > 0) stages.set(lead, new Set(given))
  }
  return stages
}
