/** Queries of the console's lists: the leads that match a filter, page by page, with what a row shows. */
import type { Kysely, SelectQueryBuilder } from 'kysely'
import type { Lead } from '../../leads/lead/lead.ts'
import { factsOf, inNames, isNearName, nearNames, type WordSearch, wholeNames } from '../../leads/words/search-words.ts'
import { asLead, leadsWithIds } from '../leads/leads.ts'
import { wasTried } from '../leads/tried-to-reach.ts'
import { findByWords, type Wanted } from '../lookup/word-search.ts'
import type { Schema } from '../tables/schema.ts'
import type { InboxFilter, Page, Position } from './filter.ts'
import { candidates } from './filter-candidates.ts'
import { type InboxRow, rowsOf } from './inbox-rows.ts'

export type InboxPage = {
  rows: InboxRow[]
  /** Where the next page begins; null if there is none. */
  next: Position | null
  /** The leads up to this moment were looked at; null if that was all of them, or enough were found. */
  lookedUpTo: number | null
  /** Whether a search found no one, and these are people with a similar name. */
  similar: boolean
}

/**
 * How many leads the rounds of a search look at. Parts that no index answers, such as a stage beside a
 * word, are checked one lead after the other; so the cost of a page does not grow with the number of leads.
 * Without such parts, the first round fills a page.
 */
const ROUNDS = [100, 500, 5_000, 10_000]

/**
 * A page of leads: the newest first, unless asked otherwise. A search lists first those who are called so, then those
 * whose names begin so, then all others; if there are none at all, those whose names are a typo away.
 */
export async function listInbox(db: Kysely<Schema>, filter: InboxFilter, page: Page): Promise<InboxPage> {
  const found: { lead: Lead; part: number }[] = []
  const begun = page.after?.part ?? 0
  const similarFrom = partsOf(filter).findIndex(({ similar }) => similar)
  for (const [part, wanted] of partsOf(filter).entries()) {
    if (part < begun || found.length > page.limit) continue
    if (wanted.similar && (found.length > 0 || (page.after && begun < part))) continue
    const after = part === begun ? page.after : undefined
    const { leads, lookedUpTo } = await fill(
      db,
      { filter, wanted },
      { ...page, after, limit: page.limit - found.length },
    )
    found.push(...leads.map(lead => ({ lead, part })))
    if (lookedUpTo !== undefined)
      return {
        rows: await rowsOf(
          db,
          found.map(({ lead }) => lead),
        ),
        next: { ...lookedUpTo, part },
        lookedUpTo: await momentOf(db, lookedUpTo),
        similar: part === similarFrom,
      }
  }
  const shown = found.slice(0, page.limit)
  const last = shown.at(-1)
  return {
    rows: await rowsOf(
      db,
      shown.map(({ lead }) => lead),
    ),
    next: found.length > page.limit && last !== undefined ? positionOf(last, filter) : null,
    lookedUpTo: null,
    similar: last?.part === similarFrom,
  }
}

/** What a part of a list wants beside the columns of a lead; undefined where columns say it all. */
type Part = { words: Wanted | undefined; similar?: WordSearch }

function partsOf(filter: InboxFilter): Part[] {
  const { words } = filter
  const facts = factsOf(filter)
  if (words === undefined) return [{ words: facts.length === 0 ? undefined : { facts } }]
  const names = inNames(words)
  if (names === undefined) return [{ words: { words, facts } }]
  const whole = { words: wholeNames(words), prefix: undefined }
  return [
    { words: { words: whole, facts } },
    { words: { words: names, facts, except: whole } },
    { words: { words, facts, except: names } },
    { words: { groups: nearNames(words), facts }, similar: words },
  ]
}

type Wish = { filter: InboxFilter; wanted: Part }

/**
 * Up to one lead more than the limit; `lookedUpTo` is where looking further begins, if the rounds ended before there were
 * so many.
 */
async function fill(db: Kysely<Schema>, wish: Wish, page: Page): Promise<{ leads: Lead[]; lookedUpTo?: Position }> {
  const leads: Lead[] = []
  let { after } = page
  for (const size of ROUNDS) {
    const { matches, last } = await look(db, wish, { ...page, after, limit: page.limit - leads.length + 1 }, size)
    leads.push(...matches)
    if (leads.length > page.limit || last === undefined) return { leads }
    after = last
  }
  return { leads, ...(after && { lookedUpTo: after }) }
}

/** How many leads match, counted up to `most`, among no more than twenty times as many. */
export async function countInbox(db: Kysely<Schema>, filter: InboxFilter, most: number): Promise<number> {
  const facts = factsOf(filter)
  const { words } = filter
  const wish = { filter, wanted: { words: words || facts.length > 0 ? { words, facts } : undefined } }
  const first = await look(db, wish, { limit: most }, most)
  if (first.matches.length === most || first.last === undefined) return first.matches.length
  return (await look(db, wish, { limit: most }, 20 * most)).matches.length
}

async function momentOf(db: Kysely<Schema>, position: Position | undefined) {
  const lead = await db
    .selectFrom('leads')
    .select('created_at')
    .where('id', '=', position?.id ?? null)
    .executeTakeFirst()
  return lead?.created_at ?? null
}

const positionOf = ({ lead, part }: { lead: Lead; part: number }, { unanswered }: InboxFilter): Position => ({
  at: (unanswered ? lead.unansweredSince : null) ?? lead.createdAt,
  id: lead.id,
  part,
})

/**
 * The leads that match a filter, up to a limit, among the first `size` of those that an index finds; and
 * the last of these; undefined if these were all.
 */
type Look = { matches: Lead[]; last: Position | undefined }

const look = (db: Kysely<Schema>, { filter, wanted }: Wish, page: Page, size: number): Promise<Look> =>
  wanted.words === undefined
    ? lookByColumns(db, filter, page, size)
    : lookByWords(db, { filter, words: wanted.words, similar: wanted.similar }, page, size)

async function lookByWords(
  db: Kysely<Schema>,
  { filter, words, similar }: { filter: InboxFilter; words: Wanted; similar: WordSearch | undefined },
  page: Page,
  size: number,
): Promise<Look> {
  const ids = await findByWords(db, words, { ...page, after: page.after?.id, limit: size })
  const last = ids.length < size ? undefined : ids.at(-1)
  const order = page.oldestFirst ? 'asc' : 'desc'
  const rows =
    ids.length === 0
      ? []
      : await matching(leadsWithIds(db, ids), filter)
          .selectAll('leads')
          .orderBy('leads.id', order)
          .$if(similar === undefined, query => query.limit(page.limit))
          .execute()
  const leads = rows.map(asLead).filter(lead => similar === undefined || isNearName(lead, similar))
  return { matches: leads.slice(0, page.limit), last: last === undefined ? last : { at: last, id: last } }
}

async function lookByColumns(db: Kysely<Schema>, filter: InboxFilter, page: Page, size: number): Promise<Look> {
  const found = candidates(db, filter, page, size)
  const order = page.oldestFirst ? 'asc' : 'desc'
  // A cross join, whose order SQLite keeps: it must not begin with all leads of a counselor.
  const leads = db.selectFrom(found.as('found')).crossJoin('leads').whereRef('leads.id', '=', 'found.id')
  const rows = await matching(leads, filter)
    .selectAll('leads')
    .orderBy('found.at', order)
    .orderBy('found.id', order)
    .limit(page.limit)
    .execute()
  // A page that is full needs no position of what was looked at.
  const last = rows.length < page.limit ? await found.offset(size - 1).executeTakeFirst() : undefined
  return { matches: rows.map(asLead), last }
}

/** Everything that a filter says about the columns of a lead. */
function matching<Tables extends Schema, Table extends keyof Tables, Output>(
  leads: SelectQueryBuilder<Tables, Table, Output>,
  filter: InboxFilter,
): SelectQueryBuilder<Tables, Table, Output> {
  let query = leads as unknown as SelectQueryBuilder<Schema, 'leads', Output>
  const { visibleTo, since, until } = filter
  query = query.where('leads.merged_into', 'is', null)
  if (filter.kind !== undefined) query = query.where('leads.kind', '=', filter.kind)
  if (filter.stage === 'open') query = query.where('leads.stage', '<>', 'closed')
  else if (filter.stage !== undefined) query = query.where('leads.stage', '=', filter.stage)
  if (filter.waiting) query = query.where('leads.stage', '=', 'new').where('leads.paused_at', 'is', null)
  if (filter.unanswered) query = query.where('leads.unanswered_since', 'is not', null)
  if (filter.untried) query = query.where('leads.stage', '=', 'new').where(eb => eb.not(wasTried(eb)))
  if (filter.owner !== undefined) query = query.where('leads.owner', filter.owner === null ? 'is' : '=', filter.owner)
  if (filter.consent === null) query = query.where('leads.consent', 'is', null)
  if (visibleTo !== undefined)
    query = query.where(eb =>
      eb.or([eb('leads.owner', 'is', null), ...(visibleTo === null ? [] : [eb('leads.owner', '=', visibleTo)])]),
    )
  if (since !== undefined) query = query.where('leads.created_at', '>=', since)
  if (until !== undefined) query = query.where('leads.created_at', '<', until)
  return query as unknown as SelectQueryBuilder<Tables, Table, Output>
}
