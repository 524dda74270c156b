/** Queries of the console's lists: the leads that match a filter, page by page, with what a row shows. */
import { type Kysely, type SelectQueryBuilder, sql } from 'kysely'
import type { Lead } from '../leads/lead.ts'
import { type FactFilter, factsOf, type WordSearch } from '../leads/search-words.ts'
import type { Kind } from '../leads/submission.ts'
import { type InboxRow, rowsOf } from './inbox-rows.ts'
import { asLead } from './leads.ts'
import { matchingLeads } from './matching-leads.ts'
import type { Schema } from './schema.ts'

export type InboxFilter = FactFilter & {
  kind?: Kind | undefined
  /** A stage, or `open` for all but `closed`. */
  stage?: string | undefined
  /** The id of the counselor; null is the team. */
  owner?: string | null | undefined
  /** Only leads of the team and those of this counselor; null is no one. */
  visibleTo?: string | null | undefined
  /** Only leads that no one has reached, and whose follow-up is not paused. */
  waiting?: boolean | undefined
  /** Created at or after `since` and before `until`, in Unix milliseconds. */
  since?: number | undefined
  until?: number | undefined
  words?: WordSearch | undefined
}

/** The last lead of a page: the next one begins behind it, also when that lead is gone by then. */
export type Position = { at: number; id: number }

export type Page = { after?: Position | undefined; oldestFirst?: boolean; limit: number }

export type InboxPage = {
  rows: InboxRow[]
  /** Where the next page begins; null if there is none. */
  next: Position | null
  /** The leads up to this moment were looked at; null if that was all of them, or enough were found. */
  lookedUpTo: number | null
}

/**
 * How many leads the parts of a search look at. Parts that no index answers, such as a stage beside a
 * word, are checked one lead after the other; so the cost of a page does not grow with the number of leads.
 */
const ROUNDS = [500, 5_000, 20_000]

/** A page of leads: the newest first, unless asked otherwise. */
export async function listInbox(
  db: Kysely<Schema>,
  filter: InboxFilter,
  page: Page,
): Promise<InboxPage> {
  const found: Lead[] = []
  let { after } = page
  for (const size of ROUNDS) {
    const wanted = page.limit - found.length + 1
    const leads = await matchesAmong(db, filter, { ...page, after, limit: wanted }, size)
    found.push(...leads)
    if (found.length > page.limit) {
      const shown = found.slice(0, page.limit)
      return { rows: await rowsOf(db, shown), next: positionOf(shown.at(-1)), lookedUpTo: null }
    }
    const last = await lastCandidate(db, filter, { ...page, after }, size)
    if (last === undefined) return { rows: await rowsOf(db, found), next: null, lookedUpTo: null }
    after = last
  }
  return {
    rows: await rowsOf(db, found),
    next: after ?? null,
    lookedUpTo: await momentOf(db, after),
  }
}

async function momentOf(db: Kysely<Schema>, position: Position | undefined) {
  const lead = await db
    .selectFrom('leads')
    .select('created_at')
    .where('id', '=', position?.id ?? null)
    .executeTakeFirst()
  return lead?.created_at ?? null
}

const positionOf = (lead: Lead | undefined): Position | null =>
  lead === undefined ? null : { at: lead.createdAt, id: lead.id }

/** The leads that match a filter, among the first `size` of those that an index finds. */
async function matchesAmong(
  db: Kysely<Schema>,
  filter: InboxFilter,
  page: Page,
  size: number,
): Promise<Lead[]> {
  const found = candidates(db, filter, page).limit(size).as('found')
  // A cross join, whose order SQLite keeps: it must not begin with all leads of a counselor.
  let query = db
    .selectFrom(found)
    .crossJoin('leads')
    .whereRef('leads.id', '=', 'found.id')
    .selectAll('leads')
  if (filter.kind !== undefined) query = query.where('leads.kind', '=', filter.kind)
  if (filter.stage === 'open') query = query.where('leads.stage', '<>', 'closed')
  else if (filter.stage !== undefined) query = query.where('leads.stage', '=', filter.stage)
  if (filter.waiting)
    query = query.where('leads.stage', '=', 'new').where('leads.paused_at', 'is', null)
  if (filter.owner !== undefined)
    query = query.where('leads.owner', filter.owner === null ? 'is' : '=', filter.owner)
  const { visibleTo, since, until, consent } = filter
  if (consent === null) query = query.where('leads.consent', 'is', null)
  if (visibleTo !== undefined)
    query = query.where(eb =>
      eb.or([
        eb('leads.owner', 'is', null),
        ...(visibleTo === null ? [] : [eb('leads.owner', '=', visibleTo)]),
      ]),
    )
  if (since !== undefined) query = query.where('leads.created_at', '>=', since)
  if (until !== undefined) query = query.where('leads.created_at', '<', until)
  const order = page.oldestFirst ? 'asc' : 'desc'
  const rows = await query
    .orderBy('found.at', order)
    .orderBy('found.id', order)
    .limit(page.limit)
    .execute()
  return rows.map(asLead)
}

/** The last of the first `size` leads that an index finds; undefined if there are fewer. */
async function lastCandidate(
  db: Kysely<Schema>,
  filter: InboxFilter,
  page: Page,
  size: number,
): Promise<Position | undefined> {
  return candidates(db, filter, page)
    .offset(size - 1)
    .limit(1)
    .executeTakeFirst()
}

/** The leads that match what one index can tell of a filter, in order. */
const candidates = (db: Kysely<Schema>, filter: InboxFilter, page: Page) =>
  filter.words !== undefined || factsOf(filter).length > 0
    ? byWords(db, filter, page)
    : byColumns(db, filter, page)

type Candidates = SelectQueryBuilder<Schema, never, { id: number; at: number }>

/** In the order of their ids, which is that of their first inquiries. */
function byWords(
  db: Kysely<Schema>,
  filter: InboxFilter,
  { after, oldestFirst }: Page,
): Candidates {
  const words = filter.words ?? { words: [], prefix: undefined }
  return db
    .selectFrom(matchingLeads(words, factsOf(filter)).as('m'))
    .select(['m.rowid as id', 'm.rowid as at'])
    .$if(after !== undefined, query =>
      query.where('m.rowid', oldestFirst ? '>' : '<', after?.id as number),
    )
    .orderBy('m.rowid', oldestFirst ? 'asc' : 'desc') as unknown as Candidates
}

function byColumns(
  db: Kysely<Schema>,
  filter: InboxFilter,
  { after, oldestFirst }: Page,
): Candidates {
  const { owner, since, until } = filter
  const stage = filter.waiting ? 'new' : filter.stage
  const order = oldestFirst ? 'asc' : 'desc'
  let query = db.selectFrom('leads').select(['id', 'created_at as at'])
  // As a literal, so that an index of the open leads alone is known to have them all.
  if (stage !== undefined && stage !== 'closed')
    query = query.where('stage', '<>', sql.lit('closed'))
  if (stage !== undefined && stage !== 'open') query = query.where('stage', '=', stage)
  if (owner !== undefined) query = query.where('owner', owner === null ? 'is' : '=', owner)
  if (since !== undefined) query = query.where('created_at', '>=', since)
  if (until !== undefined) query = query.where('created_at', '<', until)
  if (after !== undefined) {
    const beyond = sql.raw(oldestFirst ? '>' : '<')
    query = query.where(sql<boolean>`(created_at, id) ${beyond} (${after.at}, ${after.id})`)
  }
  return query.orderBy('created_at', order).orderBy('id', order) as unknown as Candidates
}

/** How many leads match, counted up to `most`, among no more than twenty times as many. */
export async function countInbox(
  db: Kysely<Schema>,
  filter: InboxFilter,
  most: number,
): Promise<number> {
  const page = { limit: most }
  return (await matchesAmong(db, filter, page, 20 * most)).length
}
