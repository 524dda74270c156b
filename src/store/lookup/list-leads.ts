/** Lists of leads, for the command line. */
import { type Kysely, sql } from 'kysely'
import type { Kind } from '../../leads/body/submission.ts'
import type { Lead } from '../../leads/lead/lead.ts'
import { type FactFilter, factsOf } from '../../leads/words/search-words.ts'
import { asLead, leadsWithIds } from '../leads/leads.ts'
import type { Schema } from '../tables/schema.ts'
import { findByWords } from './word-search.ts'

export type LeadFilter = FactFilter & {
  kind?: Kind | undefined
  stage?: string | undefined
  /** Created at or after `since` and before `until`, in Unix milliseconds. */
  since?: number | undefined
  until?: number | undefined
  /** The id of the counselor who follows up; null is the team. */
  owner?: string | null | undefined
  /** Only leads whose people wrote back and wait for an answer, even closed ones. */
  unanswered?: boolean | undefined
  /** Only leads with these ids, at least one. */
  ids?: readonly number[]
  /** Continue after the lead with this id. If there is no such lead, the list is empty. */
  before?: number | undefined
}

/** With `unanswered`, `oldestFirst` means the longest wait first, without pages. */
type LeadList = LeadFilter & { oldestFirst?: boolean; limit: number }

/** How many leads with the facts of a filter one statement checks. */
const LOOKED_AT = 1_000

/** More people than ever wait for an answer. */
const MOST_WAITING = 10_000

/**
 * Leads, newest first unless asked otherwise: by creation, and those of the same moment by id. Leads that were merged
 * into others are left out.
 */
export async function listLeads(db: Kysely<Schema>, list: LeadList): Promise<Lead[]> {
  const { oldestFirst = false, limit, before } = list
  const wanted = { facts: factsOf(list) }
  if (wanted.facts.length === 0) return leadsAmong(db, list, list.ids)
  const found: Lead[] = []
  const most = byWait(list) ? MOST_WAITING : limit
  for (let after = oldestFirst ? undefined : before; ; ) {
    const ids = await findByWords(db, wanted, { after, oldestFirst, limit: LOOKED_AT })
    const among = ids.filter(id => list.ids?.includes(id) ?? true)
    if (among.length > 0) found.push(...(await leadsAmong(db, { ...list, limit: most - found.length }, among)))
    if (found.length >= most || ids.length < LOOKED_AT) break
    after = ids.at(-1)
  }
  if (!byWait(list)) return found
  return found.toSorted((one, other) => (one.unansweredSince ?? 0) - (other.unansweredSince ?? 0)).slice(0, limit)
}

const byWait = ({ unanswered = false, oldestFirst = false }: LeadList): boolean => unanswered && oldestFirst

/** `ids`: only leads with these ids, at least one; undefined for all. */
async function leadsAmong(db: Kysely<Schema>, filter: LeadList, ids: readonly number[] | undefined): Promise<Lead[]> {
  const order = filter.oldestFirst ? 'asc' : 'desc'
  const leads = ids === undefined ? db.selectFrom('leads') : leadsWithIds(db, ids)
  let query = leads.selectAll('leads').where('merged_into', 'is', null)
  if (filter.kind !== undefined) query = query.where('kind', '=', filter.kind)
  if (filter.stage !== undefined) query = query.where('stage', '=', filter.stage)
  if (filter.unanswered) query = query.where('unanswered_since', 'is not', null)
  if (filter.since !== undefined) query = query.where('created_at', '>=', filter.since)
  if (filter.until !== undefined) query = query.where('created_at', '<', filter.until)
  if (filter.owner !== undefined) {
    query = query.where('owner', filter.owner === null ? 'is' : '=', filter.owner)
  }
  if (filter.consent === null) query = query.where('consent', 'is', null)
  if (filter.before !== undefined) {
    const last = db.selectFrom('leads').select(['created_at', 'id']).where('id', '=', filter.before)
    query = query.where(sql<boolean>`(leads.created_at, leads.id) < ${last}`)
  }
  if (byWait(filter)) query = query.orderBy('unanswered_since')
  const rows = await query.orderBy('created_at', order).orderBy('leads.id', order).limit(filter.limit).execute()
  return rows.map(asLead)
}
