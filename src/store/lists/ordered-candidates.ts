/** The leads that an index finds for a filter of the inbox, in order: only these are checked against all of it. */
import { type Kysely, type SelectQueryBuilder, sql } from 'kysely'
import { allStages } from '../../leads/lead/stages.ts'
import type { Schema } from '../tables/schema.ts'
import type { InboxFilter, Order, Page } from './filter.ts'

export type Candidates = SelectQueryBuilder<{ found: { id: number; at: number } }, 'found', { id: number; at: number }>

const OPEN = allStages.filter(stage => stage !== 'closed')

/** The order of one index, from `orderOf`. */
export type IndexOrder = Exclude<Order, 'longest'> | 'unanswered'

type Looked = Omit<Page, 'order'> & { order: IndexOrder }

/** The column that a list is sorted by, and the direction. */
const sorting = {
  newest: ['created_at', 'desc'],
  oldest: ['created_at', 'asc'],
  active: ['last_at', 'desc'],
  hottest: ['heat', 'desc'],
  unanswered: ['unanswered_since', 'asc'],
} as const

export const directionOf = (order: IndexOrder): 'asc' | 'desc' => sorting[order][1]

/** The order of the index to read. Only lists of open leads can have an order other than creation. */
export function orderOf({ stage, waiting, untried, unanswered }: InboxFilter, order: Order = 'newest'): IndexOrder {
  if (unanswered) return 'unanswered'
  if (order === 'longest') return 'newest'
  const open = waiting || untried || (stage !== undefined && stage !== 'closed')
  return open || order === 'oldest' ? order : 'newest'
}

/**
 * The first `size` leads. An index has the leads of one counselor in one stage in the order of a page. If a page has
 * several, they are merged: sorting would read all of them.
 */
export function candidates(db: Kysely<Schema>, filter: InboxFilter, page: Looked, size: number): Candidates {
  const order = directionOf(page.order)
  const [first, ...others] = places(filter, page.order).map(place =>
    db.selectFrom(inOrder(db, filter, page, place).limit(size).as('place')).select(['place.id', 'place.at']),
  )
  if (first === undefined) throw new Error('A filter has at least one place')
  const merged = others.reduce((all, one) => all.unionAll(one), first)
  return db
    .selectFrom(merged.as('found'))
    .select(['found.id', 'found.at'])
    .orderBy('found.at', order)
    .orderBy('found.id', order)
    .limit(size) as unknown as Candidates
}

/**
 * Where to look. `owner`: a counselor, the team (null) or everyone (undefined). `stage`: one stage, open or all.
 * `imported`: imported people or the others, which the indexes of open leads keep apart.
 */
type Place = { owner?: string | null; stage?: string | undefined; imported?: boolean }

function places(filter: InboxFilter, order: IndexOrder): Place[] {
  const { owner, visibleTo, imported } = filter
  const owners =
    owner !== undefined
      ? [owner]
      : visibleTo === undefined
        ? [undefined]
        : [null, visibleTo].filter((one, at) => at === 0 || one !== null)
  return owners.flatMap(one =>
    stagesOf(filter, order, one).flatMap((stage): Place[] => {
      const whose = { ...(one !== undefined && { owner: one }), stage }
      if (stage === undefined || stage === 'closed') return [whose]
      // People whose leads are in other stages were reached.
      const apart = stage === 'new' || stage === 'open' ? [false, true] : [false]
      return apart.filter(one => one === (imported ?? one)).map(imported => ({ ...whose, imported }))
    }),
  )
}

/** The stages to look into, one after the other. An index in another order has all stages together. */
function stagesOf({ stage, waiting, untried }: InboxFilter, order: IndexOrder, owner: string | null | undefined) {
  const wanted = waiting || untried ? 'new' : stage
  if (wanted !== undefined && (order === 'active' || order === 'hottest')) return ['open']
  if (wanted === 'reached') return OPEN.filter(one => one !== 'new')
  return wanted === 'open' && owner !== undefined ? OPEN : [wanted]
}

function inOrder(
  db: Kysely<Schema>,
  { since, until }: InboxFilter,
  { after, order }: Looked,
  { owner, stage, imported }: Place,
) {
  const [column, direction] = sorting[order]
  let query = db
    .selectFrom('leads')
    .select(['id', eb => eb.ref(column).$notNull().as('at')])
    .$if(column === 'unanswered_since', query => query.where('unanswered_since', 'is not', null))
  // Literals, so that the engine knows that a partial index has all of these leads.
  if (stage === 'new' && owner === undefined) query = query.where('stage', '=', sql.lit('new'))
  else if (stage !== undefined && stage !== 'closed') query = query.where('stage', '<>', sql.lit('closed'))
  if (stage !== undefined && stage !== 'open') query = query.where('stage', '=', stage)
  if (owner !== undefined) query = query.where('owner', owner === null ? 'is' : '=', owner)
  if (imported !== undefined) query = query.where('imported', '=', Number(imported))
  if (column === 'created_at' && since !== undefined) query = query.where('created_at', '>=', since)
  if (column === 'created_at' && until !== undefined) query = query.where('created_at', '<', until)
  if (after !== undefined) {
    const beyond = sql.raw(direction === 'asc' ? '>' : '<')
    query = query.where(sql<boolean>`(${sql.ref(column)}, id) ${beyond} (${after.at}, ${after.id})`)
  }
  return query.orderBy(column, direction).orderBy('id', direction)
}
