/**
 * Finding people whose leads belong to colleagues, for someone who may not see these leads. A search must name them so
 * exactly that the searcher must already know them, and it never finds more than a few, so that no one can browse the
 * names.
 */
import type { Kysely } from 'kysely'
import { isAddress } from '../../leads/body/person-key.ts'
import type { Lead } from '../../leads/lead/lead.ts'
import type { NamedPerson } from '../../leads/words/colleagues-search-words.ts'
import { isCalled, wholeNames } from '../../leads/words/search-words.ts'
import { asLead, leadsWithIds } from '../leads/leads.ts'
import type { Schema } from '../tables/schema.ts'
import { findLeadsByPhone, findLeadsOf } from './find-leads.ts'
import { findByWords } from './word-search.ts'

/** The leads, newest first; none if there would be too many. */
export type ColleaguesLeads = { leads: Lead[]; tooMany: boolean }

/** `counselor`: the id of the person who searches, whose own leads are shown elsewhere; null if they have none. */
export type ColleaguesQuery = { named: NamedPerson; counselor: string | null }

const MOST = 3

/** How many of the newest people with a name are checked. */
const LOOKED_AT = 100

export async function findColleaguesLeads(
  db: Kysely<Schema>,
  { named, counselor }: ColleaguesQuery,
): Promise<ColleaguesLeads> {
  const found = new Map((await findNamed(db, named)).map(lead => [lead.id, lead]))
  const leads = [...found.values()].filter(
    ({ owner, callbackFor }) =>
      owner !== null && owner !== counselor && (counselor === null || !callbackFor.includes(counselor)),
  )
  return leads.length > MOST ? { leads: [], tooMany: true } : { leads, tooMany: false }
}

async function findNamed(db: Kysely<Schema>, named: NamedPerson): Promise<Lead[]> {
  if ('reach' in named) {
    const { reach } = named
    return [...(await findLeadsOf(db, reach)), ...(isAddress(reach) ? [] : await findLeadsByPhone(db, reach))]
  }
  const words = { words: wholeNames(named.names), prefix: undefined }
  const ids = await findByWords(db, { words }, { limit: LOOKED_AT })
  if (ids.length === 0) return []
  const rows = await leadsWithIds(db, ids)
    .selectAll('leads')
    .where('leads.merged_into', 'is', null)
    .orderBy('leads.id', 'desc')
    .execute()
  // The index also has names of companies, and former names.
  return rows.map(asLead).filter(lead => isCalled(lead, named.names))
}
