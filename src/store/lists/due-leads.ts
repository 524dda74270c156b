/** Queries on what is to be done today. */
import { type Kysely, type SelectQueryBuilder, sql } from 'kysely'
import type { Lead } from '../../leads/lead/lead.ts'
import { asLead } from '../leads/leads.ts'
import { listTried } from '../leads/tried-to-reach.ts'
import type { Schema } from '../tables/schema.ts'

export type DueLeads = {
  leads: Lead[]
  /** The ids of those among them that no one has tried to reach. */
  untried: number[]
  /** Whether there are more of one sort than the limit. */
  more: boolean
}

export type DueQuery = {
  owner?: string | undefined
  states?: readonly (string | null)[] | undefined
  until: number
  limit: number
}

/**
 * The leads that someone may have to call until the moment `until`: up to `limit` of each sort. Someone promised to
 * call them again by then; they replied; no one has called them yet; they did not answer. `owner`: only the leads of
 * this counselor and those of the team. `states`: only leads of these; null is a lead whose state is not known.
 */
export async function listDueLeads(db: Kysely<Schema>, { owner, states, until, limit }: DueQuery): Promise<DueLeads> {
  const due = new Map<number, Lead>()
  const ids: number[] = []
  let more = false
  for (const sort of [promised(until), replied, uncalled, unanswered]) {
    for (const whose of owner === undefined ? [undefined] : [owner, null]) {
      const leads = await read(db, sort, { owner: whose, states, limit: limit + 1 })
      more ||= leads.length > limit
      for (const lead of leads.slice(0, limit)) due.set(lead.id, lead)
      if (sort === uncalled) ids.push(...leads.slice(0, limit).map(({ id }) => id))
    }
  }
  const tried = await listTried(db, ids)
  return { leads: [...due.values()], untried: ids.filter(id => !tried.has(id)), more }
}

/** A counselor, the team (null) or everyone (undefined). */
type Owner = string | null | undefined

type Query = SelectQueryBuilder<Schema, 'leads', object>

type Sort = {
  /** Those that an index finds in the order of a column. */
  among: (leads: Query, owner: Owner) => Query
  by: 'paused_until' | 'replied_at' | 'created_at'
  /** What else must be true of them. */
  only?: (leads: Query) => Query
}

const promised = (until: number): Sort => ({
  among: leads => leads.where('paused_until', '<=', until),
  by: 'paused_until',
})

const replied: Sort = {
  among: leads => leads.where('stage', '=', 'new').where('replied_at', 'is not', null),
  by: 'replied_at',
  only: leads => leads.where('paused_at', 'is', null),
}

const waiting = {
  among: (leads, owner) => ofOwner(leads.where('stage', '<>', sql.lit('closed')).where('stage', '=', 'new'), owner),
  by: 'created_at',
} satisfies Sort

/** Many may wait for a first call, so only for those that are listed we look what else someone did about them. */
const uncalled: Sort = {
  ...waiting,
  only: leads => leads.where('paused_at', 'is', null).where('first_attempt_at', 'is', null),
}

const unanswered: Sort = {
  ...waiting,
  only: leads => leads.where('paused_at', 'is', null).where('first_attempt_at', 'is not', null),
}

/** How many leads that an index finds are looked at. */
const LOOKED_AT = 10_000

async function read(
  db: Kysely<Schema>,
  { among, by, only = leads => leads }: Sort,
  { owner, states, limit }: { owner: Owner; limit: number } & Pick<DueQuery, 'states'>,
): Promise<Lead[]> {
  const first = among(db.selectFrom('leads'), owner).selectAll().orderBy(by).limit(LOOKED_AT)
  const leads = db.selectFrom(first.as('leads')) as unknown as Query
  const rows = await inStates(ofOwner(only(leads), owner), states)
    .selectAll()
    .where('stage', '<>', 'closed')
    .orderBy(by)
    .limit(limit)
    .execute()
  return rows.map(asLead)
}

const ofOwner = (leads: Query, owner: Owner): Query =>
  owner === undefined ? leads : leads.where('owner', owner === null ? 'is' : '=', owner)

const inStates = (leads: Query, states: DueQuery['states']): Query =>
  states === undefined
    ? leads
    : leads.where(eb =>
        eb.or([
          eb(
            'state',
            'in',
            states.filter(state => state !== null),
          ),
          ...(states.includes(null) ? [eb('state', 'is', null)] : []),
        ]),
      )
