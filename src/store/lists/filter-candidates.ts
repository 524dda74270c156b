/**
 * The leads that an index finds for a filter of the inbox, in their order: everything that the filter says
 * is checked on these alone.
 */
import { type Kysely, type SelectQueryBuilder, sql } from 'kysely'
import { allStages } from '../../leads/lead/stages.ts'
import type { Schema } from '../tables/schema.ts'
import type { InboxFilter, Page } from './filter.ts'

export type Candidates = SelectQueryBuilder<{ found: { id: number; at: number } }, 'found', { id: number; at: number }>

const OPEN = allStages.filter(stage => stage !== 'closed')

/**
 * The first `size` leads. An index has the leads of one counselor in one stage in the order of a page, so
 * those of several are merged: sorting them would read all.
 */
export function candidates(db: Kysely<Schema>, filter: InboxFilter, page: Page, size: number): Candidates {
  const order = page.oldestFirst ? 'asc' : 'desc'
  const [first, ...others] = places(filter).map(place =>
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

/** Where to look: leads of a counselor, of the team (null) or of everyone; in a stage, open ones, or all. */
type Place = { owner?: string | null; stage?: string | undefined }

function places({ owner, visibleTo, stage, waiting, untried }: InboxFilter): Place[] {
  const wanted = waiting || untried ? 'new' : stage
  const owners =
    owner !== undefined ? [owner] : visibleTo === undefined ? [] : [null, ...(visibleTo === null ? [] : [visibleTo])]
  if (owners.length === 0) return [{ stage: wanted }]
  return owners.flatMap((one): Place[] =>
    wanted === 'open' ? OPEN.map(stage => ({ owner: one, stage })) : [{ owner: one, stage: wanted }],
  )
}

function inOrder(
  db: Kysely<Schema>,
  { since, until, unanswered }: InboxFilter,
  { after, oldestFirst }: Page,
  { owner, stage }: Place,
) {
  const order = oldestFirst ? 'asc' : 'desc'
  const by = unanswered ? 'unanswered_since' : 'created_at'
  let query = db
    .selectFrom('leads')
    .select(['id', eb => eb.ref(by).$notNull().as('at')])
    .where(by, 'is not', null)
  // As a literal, so that an index of the open leads alone is known to have them all.
  if (stage !== undefined && stage !== 'closed') query = query.where('stage', '<>', sql.lit('closed'))
  if (stage !== undefined && stage !== 'open') query = query.where('stage', '=', stage)
  if (owner !== undefined) query = query.where('owner', owner === null ? 'is' : '=', owner)
  if (since !== undefined) query = query.where('created_at', '>=', since)
  if (until !== undefined) query = query.where('created_at', '<', until)
  if (after !== undefined) {
    const beyond = sql.raw(oldestFirst ? '>' : '<')
    query = query.where(sql<boolean>`(${sql.ref(by)}, id) ${beyond} (${after.at}, ${after.id})`)
  }
  return query.orderBy(by, order).orderBy('id', order)
}
