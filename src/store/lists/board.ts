/**
 * Queries of the board: the open leads of one kind, with a column for each stage, the longest wait first. Imported
 * people appear once something has happened with them.
 */
import { type Kysely, sql } from 'kysely'
import type { Place } from '../../follow-up/area-codes.ts'
import type { Kind } from '../../leads/body/submission.ts'
import type { Lead } from '../../leads/lead/lead.ts'
import { stages } from '../../leads/lead/stages.ts'
import { type FactFilter, factsOf } from '../../leads/words/search-words.ts'
import { placeColumns } from '../leads/leads.ts'
import { listTried } from '../leads/tried-to-reach.ts'
import { findByWords } from '../lookup/word-search.ts'
import type { Schema } from '../tables/schema.ts'
import type { InboxFilter, Position } from './filter.ts'
import { type InboxRow, readFollowUps, readInboxRows } from './inbox-rows.ts'

export type BoardFilter = FactFilter & Pick<InboxFilter, 'owner' | 'visibleTo'> & { kind: Kind }

/** The facts that tell how long someone has waited, and whether that is too long. */
export type Waiting = {
  id: number
  /** When the person first wrote; in a later stage than `new`, when the lead came into that stage. */
  since: number
  /** Where they live. Set only for leads in the stage `new`, like `awaits`. */
  place: Place
  /**
   * The facts that decide when they should be called or answered; null once someone has tried, has promised a call, or
   * has paused the follow-up.
   */
  awaits: (Pick<InboxRow, 'followUp'> & Pick<Lead, 'unansweredSince'>) | null
}

export type BoardCard = { since: number; row: InboxRow }

export type BoardColumn = {
  stage: string
  /** The leads that have waited longest, at most `MOST_COUNTED`. */
  waiting: Waiting[]
  /** Whether more leads wait than are counted. */
  uncounted: boolean
  /** The first cards of the column. */
  cards: BoardCard[]
  /** The position at which the next cards begin; null if there are none. */
  next: Position | null
}

export type Board = {
  columns: BoardColumn[]
  /** Whether the filter was applied to the newest leads only. */
  newestOnly: boolean
}

/** A column counts up to this number, so that its cost does not grow with the number of its leads. */
const MOST_COUNTED = 500

/** A filter with facts, such as a source, finds so many of the newest leads; most open leads are among them. */
const MOST_FOUND = 1000

/** The columns of a board, each with its first `limit` cards. */
export async function readBoard(db: Kysely<Schema>, filter: BoardFilter, { limit }: { limit: number }): Promise<Board> {
  const among = await findByFacts(db, filter)
  const columns: Omit<BoardColumn, 'cards'>[] = []
  for (const stage of openStages(filter.kind)) {
    const found = await inStage(db, filter, { stage, among: among?.leads, limit: MOST_COUNTED + 1 })
    const counted = found.slice(0, MOST_COUNTED)
    const waiting = stage === 'new' ? await withTargets(db, counted) : counted
    const next = found.length > limit ? positionOf(found[limit - 1]) : null
    columns.push({ stage, waiting, uncounted: found.length > MOST_COUNTED, next })
  }
  const cards = await cardsOf(
    db,
    columns.flatMap(({ waiting }) => waiting.slice(0, limit)),
  )
  return {
    columns: columns.map(column => ({
      ...column,
      cards: column.waiting.slice(0, limit).flatMap(({ id }) => cards.get(id) ?? []),
    })),
    newestOnly: among?.newestOnly ?? false,
  }
}

/** Further cards of one column. */
export async function readBoardCards(
  db: Kysely<Schema>,
  filter: BoardFilter,
  { stage, after, limit }: { stage: string; after: Position; limit: number },
): Promise<Pick<BoardColumn, 'cards' | 'next'>> {
  const among = await findByFacts(db, filter)
  const found = await inStage(db, filter, { stage, among: among?.leads, after, limit: limit + 1 })
  const shown = found.slice(0, limit)
  const cards = await cardsOf(db, shown)
  return {
    cards: shown.flatMap(({ id }) => cards.get(id) ?? []),
    next: found.length > limit ? positionOf(shown.at(-1)) : null,
  }
}

export const openStages = (kind: Kind): string[] => stages[kind].filter(one => one !== 'closed')

const positionOf = (one: Waiting | undefined): Position | null =>
  one === undefined ? null : { at: one.since, id: one.id }

async function cardsOf(db: Kysely<Schema>, waiting: readonly Waiting[]): Promise<Map<number, BoardCard>> {
  const rows = await readInboxRows(
    db,
    waiting.map(({ id }) => id),
  )
  const since = new Map(waiting.map(one => [one.id, one.since]))
  return new Map(rows.map(row => [row.lead.id, { since: since.get(row.lead.id) ?? 0, row }]))
}

/** The expression that `leads_board` and `leads_board_owner` index. */
const SINCE = sql<number>`case when stage = 'new' then created_at
  else coalesce(stage_since, created_at) end`

type Stretch = {
  stage: string
  /** Only these leads; undefined for all. */
  among: readonly Found[] | undefined
  after?: Position
  limit: number
}

/** The leads of a stage in their order, from a position on. */
async function inStage(
  db: Kysely<Schema>,
  filter: BoardFilter,
  { stage, among, after, limit }: Stretch,
): Promise<Waiting[]> {
  const found: Waiting[] = []
  if (among !== undefined) found.push(...among.filter(one => one.stage === stage))
  // For one counselor, an index has the leads in order.
  else
    for (const owner of ownersOf(filter))
      found.push(...(await ofOwner(db, { kind: filter.kind, stage, owner, after, limit })))
  return found
    .toSorted(inOrder)
    .filter(one => isBehind(one, after))
    .slice(0, limit)
}

const inOrder = (one: Waiting, other: Waiting): number => one.since - other.since || one.id - other.id

const isBehind = ({ since, id }: Waiting, after: Position | undefined): boolean =>
  after === undefined || since > after.at || (since === after.at && id > after.id)

/** The owners whose leads are read, one after the other; undefined means everyone. */
function ownersOf({ owner, visibleTo }: BoardFilter): (string | null | undefined)[] {
  if (visibleTo === undefined) return [owner]
  const visible = visibleTo === null ? [null] : [null, visibleTo]
  return owner === undefined ? visible : visible.filter(one => one === owner)
}

async function ofOwner(
  db: Kysely<Schema>,
  {
    kind,
    stage,
    owner,
    after,
    limit,
  }: Pick<Stretch, 'stage' | 'limit'> & { kind: Kind; owner: string | null | undefined; after: Position | undefined },
): Promise<Waiting[]> {
  let query = db
    .selectFrom('leads')
    .select(['id', SINCE.as('since')])
    .where('kind', '=', kind)
    .where('stage', '=', stage)
    // A literal, so that the engine knows that a partial index of open leads has them all.
    .where('stage', '<>', sql.lit('closed'))
    .where('imported', '=', sql.lit(0))
    .orderBy(SINCE)
    .orderBy('id')
    .limit(limit)
  // The other stages need only the columns above, which are in the index.
  if (stage === 'new') query = query.select(placeColumns)
  if (owner !== undefined) query = query.where(sql`coalesce(owner, '')`, '=', owner ?? '')
  if (after !== undefined)
    query = query.where(SINCE, '>=', after.at).where(eb => eb.or([eb(SINCE, '>', after.at), eb('id', '>', after.id)]))
  return (await query.execute()).map(asWaiting)
}

type Row = { id: number; since: number } & Partial<Place>

const asWaiting = ({ id, since, state = null, phoneE164 = null, latestPhone, bestTime }: Row): Waiting => ({
  id,
  since: Number(since),
  place: { state, phoneE164, latestPhone, bestTime },
  awaits: null,
})

/** Adds to each lead the cadence that it follows, which its row names. */
async function withTargets(db: Kysely<Schema>, waiting: readonly Waiting[]): Promise<Waiting[]> {
  if (waiting.length === 0) return []
  const ids = waiting.map(({ id }) => id)
  const rows = await db
    .selectFrom('leads')
    .select(['id', 'unanswered_since', 'callback_at', 'paused_at'])
    .where('id', 'in', ids)
    .execute()
  const leads = new Map(rows.map(row => [row.id, row]))
  const tried = await listTried(db, ids)
  const followUps = await readFollowUps(db, ids)
  return waiting.map(one => {
    const { unanswered_since: unansweredSince = null, callback_at = null, paused_at = null } = leads.get(one.id) ?? {}
    const isDone = unansweredSince === null && (callback_at !== null || paused_at !== null || tried.has(one.id))
    const followUp = followUps.get(one.id)?.followUp ?? null
    return { ...one, awaits: isDone ? null : { unansweredSince, followUp } }
  })
}

type Found = Waiting & { stage: string }

/** The newest leads with the facts that a filter names; undefined if it names none. */
async function findByFacts(
  db: Kysely<Schema>,
  filter: BoardFilter,
): Promise<{ leads: Found[]; newestOnly: boolean } | undefined> {
  const facts = factsOf(filter)
  if (facts.length === 0) return undefined
  const ids = await findByWords(db, { facts }, { limit: MOST_FOUND })
  if (ids.length === 0) return { leads: [], newestOnly: false }
  const rows = await db
    .selectFrom('leads')
    .select(['id', 'kind', 'stage', 'owner', ...placeColumns, SINCE.as('since')])
    .where('id', 'in', ids)
    .where('imported', '=', 0)
    .execute()
  const owners = ownersOf(filter)
  const leads = rows
    .filter(({ kind }) => kind === filter.kind)
    .filter(({ owner }) => owners.includes(undefined) || owners.includes(owner))
    .map(row => ({ ...asWaiting(row), stage: row.stage }))
  return { leads, newestOnly: ids.length === MOST_FOUND }
}
