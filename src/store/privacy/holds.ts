/** Leads that no retention rule erases. Each has a reason, and may have an end. */
import type { Kysely } from 'kysely'
import { type ActionContext, type Changed, changeLead } from '../actions/change-lead.ts'
import { addEntry } from '../leads/timeline.ts'
import type { Schema } from '../tables/schema.ts'

export type LeadHold = {
  reason: string
  /** When it ends; null if it has no end. */
  until: number | null
  actor: string
  createdAt: number
}

/** Who acts, and the note for the timeline. */
type By = Pick<ActionContext, 'audit' | 'now'> & { actor: string; note: string }

/** Keeps a lead from the retention rules. If the lead has a hold already, the new hold replaces it. */
export async function holdLead(
  db: Kysely<Schema>,
  leadId: number,
  { reason, until, actor, note, audit, now }: By & Pick<LeadHold, 'reason' | 'until'>,
): Promise<Changed> {
  return changeLead(db, { id: leadId, audit }, async (tx, lead) => {
    const hold = { reason, until, actor, created_at: now }
    await tx
      .insertInto('lead_holds')
      .values({ lead_id: lead.id, ...hold })
      .onConflict(oc => oc.column('lead_id').doUpdateSet(hold))
      .execute()
    await tx.deleteFrom('planned_erasures').where('lead_id', '=', lead.id).execute()
    return addEntry(tx, lead.id, { kind: 'note', detail: note, actor, at: now })
  })
}

export async function endHold(db: Kysely<Schema>, leadId: number, { actor, note, audit, now }: By): Promise<Changed> {
  return changeLead(db, { id: leadId, audit }, async (tx, lead) => {
    const { numDeletedRows } = await tx.deleteFrom('lead_holds').where('lead_id', '=', lead.id).executeTakeFirst()
    if (numDeletedRows === 0n) return 'before'
    return addEntry(tx, lead.id, { kind: 'note', detail: note, actor, at: now })
  })
}

/** The hold of a lead, even one that has expired; undefined if there is none. */
export async function readHold(db: Kysely<Schema>, leadId: number): Promise<LeadHold | undefined> {
  const row = await db.selectFrom('lead_holds').selectAll().where('lead_id', '=', leadId).executeTakeFirst()
  return row && { reason: row.reason, until: row.until, actor: row.actor, createdAt: row.created_at }
}
