/** Queries that find leads by what people remember of them. */
import type { Kysely } from 'kysely'
import { emailKey } from '../../leads/body/email.ts'
import type { Kind } from '../../leads/body/submission.ts'
import type { Lead } from '../../leads/lead/lead.ts'
import { type LeadSearch, matchesSearch } from '../../leads/words/lead-search.ts'
import { asLead, findLead } from '../leads/leads.ts'
import { asKept, keysOfLead } from '../leads/merged-leads.ts'
import type { Schema } from '../tables/schema.ts'
import { type LeadFilter, listLeads } from './list-leads.ts'

/** How many leads a search checks, newest first, if no index can answer it. */
const MOST_SEARCHED = 50_000
const PAGE_SIZE = 5_000

/** More leads than a person, or the people behind one phone number, ever have. */
const MOST_OF_ONE = 100

/** The leads of the person with an address or key, newest first; a merged lead is replaced by the kept lead. */
export async function findLeadsOf(db: Kysely<Schema>, person: string): Promise<Lead[]> {
  const rows = await db
    .selectFrom('leads')
    .selectAll()
    .where('person_key', '=', emailKey(person))
    .orderBy('id', 'desc')
    .limit(MOST_OF_ONE)
    .execute()
  return asKept(db, rows.map(asLead))
}

/** The leads that gave a phone number (E.164) in their first or latest inquiry, newest first. */
export async function findLeadsByPhone(db: Kysely<Schema>, phone: string): Promise<Lead[]> {
  const found: Lead[] = []
  for (const column of ['phone_e164', 'latest_phone'] as const) {
    const rows = await db
      .selectFrom('leads')
      .selectAll()
      .where(column, '=', phone)
      .orderBy('id', 'desc')
      .limit(MOST_OF_ONE)
      .execute()
    found.push(...rows.map(asLead))
  }
  return asKept(db, found)
}

/**
 * Up to `limit` leads that match a search, newest first. A whole address or phone number is looked up in an index.
 * Everything else is searched among the newest 50,000 leads that match the filter, so that the cost does not grow with
 * the number of leads.
 */
export async function searchLeads(
  db: Kysely<Schema>,
  search: LeadSearch,
  { limit, ...filter }: LeadFilter & { limit: number },
): Promise<{
  /** The leads, newest first. */
  leads: Lead[]
  /** The search looked back only this far, in Unix milliseconds; null if it saw everything. */
  searchedBackTo: number | null
}> {
  const known = await lookUp(db, search)
  if (known.length > 0) {
    const ids = known.map(({ id }) => id)
    return { leads: await listLeads(db, { ...filter, ids, limit }), searchedBackTo: null }
  }
  if ('emailKey' in search) return { leads: [], searchedBackTo: null }
  const leads: Lead[] = []
  let last: Lead | undefined
  for (let searched = 0; searched < MOST_SEARCHED; searched += PAGE_SIZE) {
    const page = await listLeads(db, { ...filter, before: last?.id, limit: PAGE_SIZE })
    leads.push(...page.filter(lead => matchesSearch(lead, search)))
    if (leads.length >= limit || page.length < PAGE_SIZE) {
      return { leads: leads.slice(0, limit), searchedBackTo: null }
    }
    last = page.at(-1)
  }
  return { leads, searchedBackTo: last?.createdAt ?? null }
}

async function lookUp(db: Kysely<Schema>, search: LeadSearch): Promise<Lead[]> {
  if ('emailKey' in search) return findLeadsOf(db, search.emailKey)
  if ('phone' in search && search.phone !== undefined) return findLeadsByPhone(db, search.phone)
  return []
}

/** Earlier leads of the same person and kind, newest first. */
export async function findEarlierLeads(
  db: Kysely<Schema>,
  leadId: number,
): Promise<Pick<Lead, 'id' | 'stage' | 'closedReason' | 'createdAt'>[]> {
  const lead = await findLead(db, leadId)
  if (lead === undefined) return []
  const rows = await db
    .selectFrom('leads')
    .selectAll()
    .where('person_key', 'in', await keysOfLead(db, lead))
    .where('kind', '=', lead.kind)
    .where('id', '<', lead.id)
    .orderBy('id', 'desc')
    .limit(MOST_EARLIER)
    .execute()
  return (await asKept(db, rows.map(asLead))).filter(({ id }) => id !== lead.id)
}

/** How many earlier leads of a person are shown. */
const MOST_EARLIER = 5

/** The leads with an email address, of one kind or of any: open ones first, then the newest. */
export async function findLeadsAt(
  db: Kysely<Schema>,
  email: string,
  kind?: Kind,
): Promise<{ id: number; open: boolean }[]> {
  const rows = await db
    .selectFrom('leads')
    .selectAll()
    .where('person_key', '=', emailKey(email))
    .$if(kind !== undefined, query => query.where('kind', '=', kind as Kind))
    .orderBy('id', 'desc')
    .limit(10)
    .execute()
  return (await asKept(db, rows.map(asLead)))
    .map(({ id, stage }) => ({ id, open: stage !== 'closed' }))
    .sort((one, other) => Number(other.open) - Number(one.open))
}
