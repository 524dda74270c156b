/** Queries for *Today*: what someone should do now. */
import { type Expression, type Kysely, type SelectQueryBuilder, sql } from 'kysely'
import { type Area, numbersBegin } from '../../follow-up/area-codes.ts'
import type { Lead } from '../../leads/lead/lead.ts'
import type { Callback } from '../leads/callbacks.ts'
import { asLead, type LockedLead } from '../leads/leads.ts'
import { listTried, readLastTried } from '../leads/tried-to-reach.ts'
import type { Schema } from '../tables/schema.ts'
import { type InboxRow, readFollowUps } from './inbox-rows.ts'

export type DueCallback = { lead: Lead } & Pick<Callback, 'dueAt' | 'words' | 'assignee'>

export type DueLeads = {
  /** The callbacks that are promised by then, the most overdue first, one for each lead. */
  callbacks: DueCallback[]
  /** The people who wrote back and wait for an answer, the longest wait first. */
  wroteBack: Lead[]
  /** The other leads: no one has called the person yet, or the person did not answer. */
  leads: Lead[]
  /** The ids of the leads in `leads` that no one has tried to reach. */
  untried: number[]
  /** When someone last called or wrote to the person of each lead in `leads`, by id. */
  lastTried: ReadonlyMap<number, number>
  /** The follow-up of the leads in `untried`, by the id of the lead, if the query asks for it. */
  followUps: ReadonlyMap<number, Pick<InboxRow, 'followUp'>>
  /** Whether any of the lists has more than the limit. */
  more: boolean
}

export type DueQuery = {
  owner?: string | undefined
  /** The ids of the people on the team; a call that anyone else promised falls to the owner. Default: everyone. */
  team?: readonly string[] | undefined
  areas?: readonly Area[] | undefined
  until: number
  limit: number
  /** Whether to read `followUps`: a list in their order needs them, a count does not. Default: false. */
  withFollowUps?: boolean | undefined
}

/**
 * The leads that someone should attend to by the time `until`, up to `limit` of each sort: people who were promised a
 * call by then, who wrote back, who no one has called yet, and who did not answer. Imported people are among them once
 * something has happened with them. `owner`: only the callbacks and leads of this counselor and of the team. `areas`:
 * only people who live in one of these.
 */
export async function listDueLeads(db: Kysely<Schema>, query: DueQuery): Promise<DueLeads> {
  const { owner, areas, limit } = query
  const due = new Map<number, Lead>()
  const wroteBack: Lead[] = []
  const ids: number[] = []
  let more = false
  const callbacks = await listDueCallbacks(db, { ...query, limit: limit + 1 })
  more ||= callbacks.length > limit
  for (const sort of [waitsForAnswer, uncalled, called]) {
    for (const whose of owner === undefined ? [undefined] : [owner, null]) {
      const leads = await read(db, sort, { owner: whose, areas, limit: limit + 1 })
      more ||= leads.length > limit
      if (sort === waitsForAnswer) wroteBack.push(...leads.slice(0, limit))
      else for (const lead of leads.slice(0, limit)) due.set(lead.id, lead)
      if (sort === uncalled) ids.push(...leads.slice(0, limit).map(({ id }) => id))
    }
  }
  const tried = await listTried(db, ids)
  const untried = ids.filter(id => !tried.has(id))
  return {
    callbacks: callbacks.slice(0, limit),
    wroteBack: wroteBack.toSorted((one, other) => (one.unansweredSince ?? 0) - (other.unansweredSince ?? 0)),
    leads: [...due.values()],
    untried,
    followUps: query.withFollowUps && untried.length > 0 ? await readFollowUps(db, untried) : new Map(),
    lastTried: await readLastTried(db, [...due.keys()]),
    more,
  }
}

/**
 * The open callbacks due by a moment, the next one of each lead. If someone promised to call another counselor's lead,
 * the callback is on their list only; once they leave the team, it is on the owner's.
 */
export async function listDueCallbacks(
  db: Kysely<Schema>,
  { owner, team, areas, until, limit }: DueQuery,
): Promise<DueCallback[]> {
  const due = db
    .selectFrom('callbacks as c')
    .innerJoin('leads', 'leads.id', 'c.lead_id')
    .where('c.ended_at', 'is', null)
    .where('c.due_at', '<=', until)
    .$if(owner !== undefined, query =>
      query.where(eb => {
        const assignee =
          team === undefined
            ? eb.ref('c.assignee')
            : eb
                .case()
                .when('c.assignee', 'in', [owner as string, ...team])
                .then(eb.ref('c.assignee'))
                .end()
        const caller = eb.fn.coalesce(assignee, 'leads.owner')
        return eb.or([eb(caller, '=', owner as string), eb(caller, 'is', null)])
      }),
    )
  const rows = await inAreas(due as unknown as Query, areas)
    .selectAll('leads')
    .select(['c.due_at', 'c.words', 'c.assignee'] as never)
    .orderBy('c.due_at' as never)
    .limit(limit)
    .execute()
  const next = new Map<number, DueCallback>()
  for (const row of rows as (LockedLead & { due_at: number; words: string; assignee: string | null })[]) {
    const { due_at: dueAt, words, assignee } = row
    if (!next.has(row.id)) next.set(row.id, { lead: asLead(row), dueAt, words, assignee })
  }
  return [...next.values()]
}

/** Who wrote back and waits for an answer, the longest wait first. */
export const listUnanswered = (db: Kysely<Schema>, { limit }: { limit: number }): Promise<Lead[]> =>
  read(db, waitsForAnswer, { owner: undefined, limit })

/** A counselor, the team (null) or everyone (undefined). */
type Owner = string | null | undefined

type Query = SelectQueryBuilder<Schema, 'leads', object>

type Sort = {
  /** The leads that an index finds, in the order of a column. */
  among: (leads: Query, owner: Owner) => Query
  by: 'unanswered_since' | 'created_at'
  /** A condition that the leads must meet, too. */
  only?: (leads: Query) => Query
}

/** Leads in any stage, even closed; neither a pause nor a promised call keeps them from the list. */
const waitsForAnswer: Sort = { among: leads => leads.where('unanswered_since', 'is not', null), by: 'unanswered_since' }

const waiting = {
  // Literals, so that the engine knows that the index of these leads has them all.
  among: (leads, owner) =>
    (owner === undefined
      ? leads.where('stage', '=', sql.lit('new'))
      : ofOwner(leads.where('stage', '<>', sql.lit('closed')).where('stage', '=', 'new'), owner)
    ).where('imported', '=', 0),
  by: 'created_at',
} satisfies Sort

/** Many people may wait for a first call, so only the leads on the list are checked for other actions. */
const uncalled: Sort = { ...waiting, only: leads => isDue(leads).where('first_attempt_at', 'is', null) }

const called: Sort = { ...waiting, only: leads => isDue(leads).where('first_attempt_at', 'is not', null) }

const isDue = (leads: Query): Query => leads.where('paused_at', 'is', null).where('unanswered_since', 'is', null)

/** How many of the leads that an index finds are checked. */
const LOOKED_AT = 10_000

async function read(
  db: Kysely<Schema>,
  { among, by, only = leads => leads }: Sort,
  { owner, areas, limit }: { owner: Owner; limit: number; areas?: DueQuery['areas'] },
): Promise<Lead[]> {
  const first = among(db.selectFrom('leads'), owner).selectAll().orderBy(by).limit(LOOKED_AT)
  const leads = db.selectFrom(first.as('leads')) as unknown as Query
  const rows = await inAreas(ofOwner(only(leads), owner), areas)
    .selectAll()
    .orderBy(by)
    .limit(limit)
    .execute()
  return rows.map(asLead)
}

const ofOwner = (leads: Query, owner: Owner): Query =>
  owner === undefined ? leads : leads.where('owner', owner === null ? 'is' : '=', owner)

/** The condition that `isIn` checks for one person. */
function inAreas(leads: Query, areas: DueQuery['areas']): Query {
  if (areas === undefined) return leads
  const whole = areas.filter(({ areaCodes }) => areaCodes === null).map(({ state }) => state)
  return leads.where(eb => {
    const begins = (phone: Expression<string | null>) => eb.fn<string>('substr', [phone, sql.lit(1), sql.lit(5)])
    return eb.or([
      eb(
        'state',
        'in',
        whole.filter(state => state !== null),
      ),
      ...(whole.includes(null) ? [eb('state', 'is', null)] : []),
      ...areas.flatMap(({ state, areaCodes }) =>
        areaCodes === null
          ? []
          : eb.and([
              eb('state', '=', state),
              eb(begins(eb.ref('phone_e164')), 'in', numbersBegin(areaCodes)),
              eb(begins(eb.fn.coalesce('latest_phone', 'phone_e164')), 'in', numbersBegin(areaCodes)),
            ]),
      ),
    ])
  })
}
