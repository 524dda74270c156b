/** Queries on hand-overs of all of one person's leads: what remains to be done, each one's progress, who got what. */
import type { Kysely, Selectable } from 'kysely'
import type { Kind } from '../../leads/body/submission.ts'
import type { Lead } from '../../leads/lead/lead.ts'
import { asLead } from '../leads/leads.ts'
import { type AuditEntry, changeAudited, recordAudit } from '../operators/audit-log.ts'
import type { Schema } from '../tables/schema.ts'

/** Who gets the leads: one of `people`, several of them in turn, or the team. */
export type HandOverPlan = { to: 'one' | 'turns' | 'team'; people: string[] }

/** Someone who gets an email: the new owner, their stand-in, or the former owner. */
export type HandOverRecipient = {
  owner: string | null
  /** The kind of lead whose team is meant, where `owner` is null. */
  kind: Kind
  role: 'owner' | 'stand-in' | 'former'
  undone: boolean
}

export type LeadsHandOver = {
  id: number
  at: number
  from: string
  /** The name of the former owner at that time. */
  fromName: string
  actor: string
  plan: HandOverPlan
  state: 'running' | 'done' | 'undoing' | 'undone'
  version: number
  turns: Record<string, number>
  recipients: HandOverRecipient[]
  finishedAt: number | null
  undoneBy: string | null
}

type Start = Pick<LeadsHandOver, 'from' | 'fromName' | 'actor' | 'plan'> & {
  now: number
  /** The audit entry if it begins. */
  audit?: AuditEntry | undefined
}

/** Begins to hand over all open leads of a person; returns the id. `before`: a hand-over of theirs is under way. */
export async function startHandOver(
  db: Kysely<Schema>,
  { from, fromName, actor, plan, now, audit }: Start,
): Promise<number | 'before'> {
  return db.transaction().execute(async tx => {
    const started = await tx
      .insertInto('hand_overs')
      .values({
        at: now,
        from_owner: from,
        from_name: fromName,
        actor,
        state: 'running',
        version: 0,
        plan: JSON.stringify(plan),
        turns: '{}',
        recipients: '[]',
        finished_at: null,
        undone_by: null,
      })
      .onConflict(oc => oc.doNothing())
      .returning('id')
      .executeTakeFirst()
    if (started === undefined) return 'before'
    if (audit !== undefined) await recordAudit(tx, audit)
    return started.id
  })
}

/** Begins to undo a hand-over that began at `since` or later. Returns whether it can be undone. */
export async function undoHandOver(
  db: Kysely<Schema>,
  id: number,
  { by, since, audit }: { by: string; since: number; audit?: AuditEntry | undefined },
): Promise<boolean> {
  return changeAudited(db, audit, tx =>
    tx
      .updateTable('hand_overs')
      .set(eb => ({ state: 'undoing', version: eb('version', '+', 1), undone_by: by }))
      .where('id', '=', id)
      .where('state', 'in', ['running', 'done'])
      .where('at', '>=', since),
  )
}

export async function readHandOver(db: Kysely<Schema>, id: number): Promise<LeadsHandOver | undefined> {
  const row = await db.selectFrom('hand_overs').selectAll().where('id', '=', id).executeTakeFirst()
  return row && asHandOver(row)
}

/** The newest hand-overs first; with `unfinished`, only those under way. */
export async function listHandOvers(
  db: Kysely<Schema>,
  { limit, unfinished = false }: { limit: number; unfinished?: boolean },
): Promise<LeadsHandOver[]> {
  const rows = await db
    .selectFrom('hand_overs')
    .selectAll()
    .$if(unfinished, query => query.where('state', 'in', ['running', 'undoing']))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
  return rows.map(asHandOver)
}

export type HandedOver = { owner: string | null; kind: Kind; leads: number; restored: number }

/** How many leads each new owner got by a hand-over, by kind, and how many of these were given back. */
export async function countHandedOver(db: Kysely<Schema>, id: number): Promise<HandedOver[]> {
  const rows = await db
    .selectFrom('hand_over_leads as h')
    .innerJoin('leads as l', 'l.id', 'h.lead_id')
    .select(eb => [
      'h.owner',
      'l.kind',
      eb.fn.countAll<number>().as('leads'),
      eb.fn.sum<number | null>('h.restored').as('restored'),
    ])
    .where('h.hand_over_id', '=', id)
    .groupBy(['h.owner', 'l.kind'])
    .orderBy('h.owner')
    .execute()
  return rows.map(({ leads, restored, ...row }) => ({ ...row, leads: Number(leads), restored: Number(restored ?? 0) }))
}

/**
 * The open leads that someone got by a hand-over, or got back when it was undone, and still has. People who wait come
 * first, beginning with the longest wait. `kind`: only leads of this kind.
 */
export async function listHandedOver(
  db: Kysely<Schema>,
  id: number,
  { owner, kind, limit }: { owner: string | null; kind?: Kind | undefined; limit: number },
): Promise<{ leads: Lead[]; total: number; waiting: number }> {
  const theirs = db
    .selectFrom('leads')
    .innerJoin('hand_over_leads as h', 'h.lead_id', 'leads.id')
    .where('h.hand_over_id', '=', id)
    .where('leads.owner', owner === null ? 'is' : '=', owner)
    .where('leads.stage', '<>', 'closed')
    .$if(kind !== undefined, query => query.where('leads.kind', '=', kind as Kind))
  const rows = await theirs
    .selectAll('leads')
    .orderBy(eb => eb.case().when('leads.stage', '=', 'new').then(0).else(1).end())
    .orderBy('leads.created_at')
    .limit(limit)
    .execute()
  const counted = await theirs
    .select(eb => [
      eb.fn.countAll<number>().as('total'),
      eb.fn.sum<number | null>(eb.case().when('leads.stage', '=', 'new').then(1).else(0).end()).as('waiting'),
    ])
    .executeTakeFirstOrThrow()
  const { total, waiting } = counted
  return { leads: rows.map(asLead), total: Number(total), waiting: Number(waiting ?? 0) }
}

export const asHandOver = ({
  from_owner: from,
  from_name: fromName,
  ...row
}: Selectable<Schema['hand_overs']>): LeadsHandOver => ({
  id: row.id,
  at: row.at,
  from,
  fromName,
  actor: row.actor,
  state: row.state,
  plan: JSON.parse(row.plan),
  version: row.version,
  turns: JSON.parse(row.turns),
  recipients: JSON.parse(row.recipients),
  finishedAt: row.finished_at,
  undoneBy: row.undone_by,
})
