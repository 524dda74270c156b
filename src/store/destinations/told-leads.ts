/** Queries on leads, as destinations get them. */
import { type Kysely, type Selectable, sql } from 'kysely'
import type { Label } from '../../leads/lead/labels.ts'
import type { Schema } from '../tables/schema.ts'

/** `message`: the message of the latest inquiry. */
export type ToldLead = Selectable<Schema['leads']> & { labels: Label[]; message: string | null }

/** The leads with these ids, in their order, even those merged into others; a lead that is gone is left out. */
export async function readToldLeads(db: Kysely<Schema>, ids: readonly number[]): Promise<ToldLead[]> {
  if (ids.length === 0) return []
  const rows = await db.selectFrom('leads').selectAll().where('id', 'in', ids).execute()
  const labels = await db
    .selectFrom('lead_labels')
    .innerJoin('labels', 'labels.id', 'label_id')
    .select(['lead_id', 'labels.id', 'kind', 'name'])
    .where('lead_id', 'in', ids)
    .orderBy('name_key')
    .execute()
  const messages = await latestMessages(db, ids)
  const leads = new Map(rows.map(row => [row.id, row]))
  return ids.flatMap(id => {
    const lead = leads.get(id)
    if (lead === undefined) return []
    const given = labels.filter(label => label.lead_id === id).map(({ lead_id: _, ...label }) => label)
    return [{ ...lead, labels: given, message: messages.get(id) ?? null }]
  })
}

async function latestMessages(db: Kysely<Schema>, ids: readonly number[]): Promise<Map<number, string | undefined>> {
  const latest = db
    .selectFrom('timeline')
    .select(eb => eb.fn.max('id').as('id'))
    .where('lead_id', 'in', ids)
    .where('kind', '=', sql.lit('submission'))
    .groupBy('lead_id')
  const rows = await db
    .selectFrom('timeline')
    .innerJoin('submissions', 'submissions.id', 'submission_id')
    .select(['lead_id', 'body'])
    .where('timeline.id', 'in', latest)
    .execute()
  return new Map(rows.map(({ lead_id, body }) => [lead_id, (JSON.parse(body) as { message?: string }).message]))
}
