/** Queries of the console's lists: the leads that match a filter, page by page, with what their rows show. */
import { type Kysely, sql } from 'kysely'
import type { Lead } from '../../leads/lead/lead.ts'
import {
  factsOf,
  hasWords,
  inNames,
  isNearName,
  nearNames,
  type WordSearch,
  wholeNames,
} from '../../leads/words/search-words.ts'
import { asLead, leadsWithIds } from '../leads/leads.ts'
import { findByWords, readWords, type Wanted } from '../lookup/word-search.ts'
import type { Schema } from '../tables/schema.ts'
import type { InboxFilter, Order, Page, Position } from './filter.ts'
import { type InboxRow, rowsOf } from './inbox-rows.ts'
import { matching, withFacts } from './matching.ts'
import { candidates, directionOf, type IndexOrder, orderOf } from './ordered-candidates.ts'

export type InboxPage = {
  rows: InboxRow[]
  /** Where the next page begins; null if this is the last. */
  next: Position | null
  /** The search has checked the leads back to this time; null if it has checked all of them, or found enough. */
  lookedUpTo: number | null
  /** Whether the search found no one, and these are people with similar names. */
  similar: boolean
}

/**
 * How many leads each round of a search looks at. Conditions that no index answers, such as a stage together with a
 * word, are checked lead by lead; the limits keep the cost of a page from growing with the number of leads. Without
 * such conditions, the first round fills a page.
 */
const ROUNDS = [60, 60, 500, 5_000, 10_000]

/**
 * A page of leads: the newest first, unless the filter asks for another order. A search lists first the people with
 * exactly that name, then those whose names begin with it, then all others. If no one matches, it lists people whose
 * names are a typo away.
 */
export async function listInbox(db: Kysely<Schema>, filter: InboxFilter, page: Page): Promise<InboxPage> {
  const found: Found[] = []
  const parts = await partsOf(db, filter, page.order)
  const begun = page.after?.part ?? 0
  const similarFrom = parts.findIndex(({ similar }) => similar)
  for (const [part, wanted] of parts.entries()) {
    if (part < begun || found.length > page.limit) continue
    if (wanted.similar && (found.length > 0 || (page.after && begun < part))) continue
    const after = part === begun ? page.after : undefined
    const { matches, lookedUpTo } = await fill(db, wanted, { after, limit: page.limit - found.length })
    found.push(...matches.map(one => ({ ...one, part })))
    if (lookedUpTo !== undefined)
      return {
        rows: await rowsOf(db, leadsOf(found)),
        next: { ...lookedUpTo, part },
        lookedUpTo: await momentOf(db, lookedUpTo),
        similar: part === similarFrom,
      }
  }
  const shown = found.slice(0, page.limit)
  const last = shown.at(-1)
  return {
    rows: await rowsOf(db, leadsOf(shown)),
    next: found.length > page.limit && last !== undefined ? positionOf(last) : null,
    lookedUpTo: null,
    similar: last?.part === similarFrom,
  }
}

/** `at`: the time that the list is sorted by. */
type Match = { lead: Lead; at: number }
type Found = Match & { part: number }

const leadsOf = (found: readonly Match[]): Lead[] => found.map(({ lead }) => lead)

const positionOf = ({ lead, at, part }: Found): Position => ({ at, id: lead.id, part })

/**
 * A part of a list, in one order. `words`: the part of its filter that the index of words can answer; undefined if
 * columns answer all of it, or the order is that of a column. `known`: the first ids that the index has found, down to
 * `until`; if `until` is undefined, all of them. `similar`: names to look for by similarity.
 */
type Part = {
  filter: InboxFilter
  order: IndexOrder
  words?: Wanted | undefined
  known?: { ids: readonly number[]; until: number | undefined }
  similar?: WordSearch
}

async function partsOf(db: Kysely<Schema>, filter: InboxFilter, wanted: Order = 'newest'): Promise<Part[]> {
  const { words, stage } = filter
  const facts = factsOf(filter)
  if (words !== undefined) return partsOfSearch(db, filter, words, facts)
  if (wanted === 'longest' && stage === 'open' && !filter.unanswered)
    return [
      partIn({ ...filter, stage: 'new' }, facts, 'oldest'),
      partIn({ ...filter, stage: 'reached' }, facts, 'newest'),
    ]
  if (filter.unanswered) return [partIn(filter, facts, orderOf(filter))]
  const waits = filter.waiting || filter.untried || stage === 'new'
  return [partIn(filter, facts, wanted === 'longest' && waits ? 'oldest' : orderOf(filter, wanted))]
}

const partIn = (filter: InboxFilter, facts: string[], order: IndexOrder): Part => ({
  filter,
  order,
  ...(facts.length > 0 && (order === 'newest' || order === 'oldest') && { words: { facts } }),
})

/** How many leads that have all words of a search are read at once, to see which part of the search each belongs to. */
const READ = 60

async function partsOfSearch(
  db: Kysely<Schema>,
  filter: InboxFilter,
  words: WordSearch,
  facts: string[],
): Promise<Part[]> {
  const part = (words: Wanted): Part => ({ filter, order: 'newest', words: { ...words, facts } })
  const names = inNames(words)
  if (names === undefined) return [part({ words })]
  const searches = [{ words: wholeNames(words), prefix: undefined }, names, words]
  const first = await findByWords(db, { words, facts }, { limit: READ })
  const until = first.length < READ ? undefined : first.at(-1)
  const stored = await readWords(db, first)
  const partOf = (id: number) => searches.findIndex(one => hasWords(stored.get(id) ?? '', one))
  return [
    ...searches.map((one, at) => ({
      ...part({ words: one, except: searches[at - 1] }),
      known: { ids: first.filter(id => partOf(id) === at), until },
    })),
    { ...part({ groups: nearNames(words) }), similar: words },
  ]
}

/** Up to one lead more than the limit. `lookedUpTo`: where to continue, if the rounds ended before that. */
async function fill(
  db: Kysely<Schema>,
  part: Part,
  page: Omit<Page, 'order'>,
): Promise<{ matches: Match[]; lookedUpTo?: Position }> {
  const found: Match[] = []
  let { after } = page
  for (const size of ROUNDS) {
    const { matches, last } = await look(db, part, { after, limit: page.limit - found.length + 1 }, size)
    found.push(...matches)
    if (found.length > page.limit || last === undefined) return { matches: found }
    after = last
  }
  return { matches: found, ...(after && { lookedUpTo: after }) }
}

/**
 * How many leads match each of these filters, which must not have words or facts. Counts up to `most`, and checks at
 * most twenty times as many leads.
 */
export async function countInbox(db: Kysely<Schema>, filters: readonly InboxFilter[], most: number): Promise<number[]> {
  const [first, ...others] = filters.map((filter, at) => {
    const found = candidates(db, filter, { order: orderOf(filter), limit: most }, 20 * most)
    const leads = db.selectFrom(found.as('found')).crossJoin('leads').whereRef('leads.id', '=', 'found.id')
    const matches = matching(leads, filter).select('leads.id').limit(most)
    return db
      .selectFrom(matches.as('matches'))
      .select(({ fn }) => [sql<number>`cast(${at} as integer)`.as('at'), fn.countAll<number>().as('count')])
  })
  if (first === undefined) return []
  const rows = await others.reduce((all, one) => all.unionAll(one), first).execute()
  return rows.toSorted((one, other) => one.at - other.at).map(({ count }) => Number(count))
}

async function momentOf(db: Kysely<Schema>, position: Position | undefined) {
  const lead = await db
    .selectFrom('leads')
    .select('created_at')
    .where('id', '=', position?.id ?? null)
    .executeTakeFirst()
  return lead?.created_at ?? null
}

/**
 * The leads that match a filter, up to a limit, among the first `size` that an index finds. `last`: where to continue;
 * undefined if there is nothing more.
 */
type Look = { matches: Match[]; last: Position | undefined }

async function look(db: Kysely<Schema>, part: Part, page: Omit<Page, 'order'>, size: number): Promise<Look> {
  const { words, known, order } = part
  const after = page.after?.id
  if (known !== undefined && (after ?? Number.MAX_SAFE_INTEGER) > (known.until ?? 0)) {
    const ids = known.ids.filter(id => after === undefined || id < after)
    const last = known.until === undefined ? undefined : { at: known.until, id: known.until }
    return { matches: await among(db, part, ids, page), last }
  }
  if (words === undefined) return lookByColumns(db, part, page, size)
  const ids = await findByWords(db, words, { after, oldestFirst: order === 'oldest', limit: size })
  const last = ids.length < size ? undefined : ids.at(-1)
  return { matches: await among(db, part, ids, page), last: last === undefined ? last : { at: last, id: last } }
}

/** Which of these leads match. */
async function among(
  db: Kysely<Schema>,
  { filter, similar, order }: Part,
  ids: readonly number[],
  { limit }: Omit<Page, 'order'>,
): Promise<Match[]> {
  if (ids.length === 0) return []
  const rows = await matching(leadsWithIds(db, ids), filter)
    .selectAll('leads')
    .orderBy('leads.id', directionOf(order))
    .$if(similar === undefined, query => query.limit(limit))
    .execute()
  return rows
    .map(asLead)
    .filter(lead => similar === undefined || isNearName(lead, similar))
    .slice(0, limit)
    .map(lead => ({ lead, at: lead.createdAt }))
}

async function lookByColumns(
  db: Kysely<Schema>,
  { filter, order }: Part,
  page: Omit<Page, 'order'>,
  size: number,
): Promise<Look> {
  const found = candidates(db, filter, { ...page, order }, size)
  const direction = directionOf(order)
  // A cross join, because SQLite keeps its order. The query must not begin with all leads of a counselor.
  const leads = db.selectFrom(found.as('found')).crossJoin('leads').whereRef('leads.id', '=', 'found.id')
  const rows = await withFacts(matching(leads, filter), factsOf(filter))
    .selectAll('leads')
    .select('found.at')
    .orderBy('found.at', direction)
    .orderBy('found.id', direction)
    .limit(page.limit)
    .execute()
  // If the page is full, it does not matter how far the search has looked.
  const last = rows.length < page.limit ? await found.offset(size - 1).executeTakeFirst() : undefined
  return { matches: rows.map(row => ({ lead: asLead(row), at: row.at })), last }
}
