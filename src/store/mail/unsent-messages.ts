/** Messages that were not sent, until their authors acknowledge that. */
import { type Kysely, sql } from 'kysely'
import type { Schema } from '../tables/schema.ts'

/** A message that was not sent, and why. */
export type UnsentMessage = { task: number; leadId: number; name: string; subject: string; note: string }

/**
 * The messages of an author that were not sent and that the author has not acknowledged: first the skipped ones, then
 * the ones that were given up, each with the newest first.
 */
export async function listUnsentMessages(db: Kysely<Schema>, { actor }: { actor: string }): Promise<UnsentMessage[]> {
  // Each state has an index of its own.
  const queries = (['skipped', 'dead'] as const).map(state =>
    db
      .selectFrom('tasks as t')
      .innerJoin('timeline as e', 'e.id', 't.subject')
      .innerJoin('leads as l', 'l.id', 'e.lead_id')
      .select(['t.id', 't.note', 'e.lead_id', 'e.mail', 'l.first_name', 'l.last_name'])
      .where('t.lane', '=', sql.lit('messages'))
      .where('t.state', '=', sql.lit(state))
      .where('t.acknowledged_at', 'is', null)
      .where('e.actor', '=', actor)
      .where('e.undone_at', 'is', null)
      .orderBy('t.id', 'desc')
      .limit(MOST_UNSENT)
      .execute(),
  )
  const rows = (await Promise.all(queries)).flat()
  return rows.map(row => ({
    task: row.id,
    leadId: row.lead_id,
    name: `${row.first_name} ${row.last_name}`,
    subject: JSON.parse(row.mail ?? '{}').subject ?? '',
    note: row.note ?? '',
  }))
}

const MOST_UNSENT = 20
