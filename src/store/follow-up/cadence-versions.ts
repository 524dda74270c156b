/** Queries on the versions of the cadences. A version that a lead has followed is never deleted. */
import { hash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { type Kysely, sql } from 'kysely'
import type { Cadence } from '../../follow-up/cadence.ts'
import type { Kind } from '../../leads/body/submission.ts'
import type { Schema } from '../tables/schema.ts'

/** The id of the version with these steps. If there is none, it is saved. */
export async function getOrCreateCadence(
  db: Kysely<Schema>,
  kind: Kind,
  cadence: Cadence,
  now: number,
): Promise<number> {
  const versions = await db
    .selectFrom('cadences')
    .select(['id', 'steps'])
    .where('kind', '=', kind)
    .orderBy('id')
    .execute()
  const saved = versions.find(({ steps }) => isDeepStrictEqual(parseCadence(steps), cadence))
  if (saved !== undefined) return saved.id
  const steps = JSON.stringify(cadence)
  const digest = hash('sha256', steps, 'base64url')
  await db
    .insertInto('cadences')
    .values({ kind, digest, steps, created_at: now })
    // Another process may have saved it a moment ago.
    .onConflict(oc => oc.columns(['kind', 'digest']).doNothing())
    .execute()
  const { id } = await db
    .selectFrom('cadences')
    .select('id')
    .where('kind', '=', kind)
    .where('digest', '=', digest)
    .executeTakeFirstOrThrow()
  return id
}

/** The steps that a lead follows, or followed; none if it has no follow-up. */
export async function readCadenceOf(db: Kysely<Schema>, leadId: number): Promise<Cadence> {
  const row = await db
    .selectFrom('leads')
    .innerJoin('cadences', 'cadences.id', 'leads.cadence_id')
    .select('cadences.steps')
    .where('leads.id', '=', leadId)
    .executeTakeFirst()
  return row === undefined ? [] : parseCadence(row.steps)
}

/** A version, and how many leads that no one has reached still have some of its steps ahead. */
export type FollowedCadence = {
  id: number
  kind: Kind
  cadence: Cadence
  leads: number
  /** Whether the count is complete. */
  all: boolean
}

/** Open steps are counted up to this number, so that it is quick however many leads there are. */
const COUNTED = 10_000

/**
 * The versions that leads still follow, the newest first. Steps that were still open when a lead was reached do not
 * count: they never happen.
 */
export async function listFollowedCadences(db: Kysely<Schema>): Promise<FollowedCadence[]> {
  const open = db
    .selectFrom('tasks')
    .select(['subject', 'kind'])
    .where('state', '=', sql.lit('due'))
    .where('lane', 'in', ['follow-up', 'letters'])
    .limit(COUNTED)
  const rows = await db
    .selectFrom(open.as('open_steps'))
    .innerJoin('leads', 'leads.id', 'open_steps.subject')
    .innerJoin('cadences', 'cadences.id', 'leads.cadence_id')
    .select(['cadences.id', 'cadences.kind', 'cadences.steps'])
    .select(of => [
      of.fn
        .count<number>(of.case().when('leads.stage', '=', sql.lit<'new'>('new')).then(of.ref('leads.id')).end())
        .distinct()
        .as('leads'),
      of.fn.countAll<number>().as('tasks'),
    ])
    // This condition is here and not above, because SQLite would otherwise go through all steps that ever existed.
    .where('open_steps.kind', '=', 'step')
    .groupBy(['cadences.id', 'cadences.kind', 'cadences.steps'])
    .orderBy('cadences.id', 'desc')
    .execute()
  const all = rows.reduce((sum, { tasks }) => sum + Number(tasks), 0) < COUNTED
  return rows
    .map(({ id, kind, steps, leads }) => ({ id, kind, leads: Number(leads), all, cadence: parseCadence(steps) }))
    .filter(({ leads }) => leads > 0)
}

export const parseCadence = (steps: string): Cadence => JSON.parse(steps)
