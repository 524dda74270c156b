/** Leads that may belong to the same person as a given lead. An operator who wants to merge sees them first. */
import type { Kysely } from 'kysely'
import type { Lead } from '../../leads/lead/lead.ts'
import { factsOf, parseWords, wholeNames } from '../../leads/words/search-words.ts'
import { asLead } from '../leads/leads.ts'
import { leadsOfMailbox } from '../leads/leads-of-mailbox.ts'
import { asKept, keyOf } from '../leads/merged-leads.ts'
import { findLeadsByPhone } from '../lookup/find-leads.ts'
import { findByWords } from '../lookup/word-search.ts'
import type { Schema } from '../tables/schema.ts'

export type Likeness = 'phone' | 'mailbox' | 'name and state' | 'name and company'

export type MergeCandidate = { lead: Lead; alike: Likeness[] }

/** How many leads with the same last name are compared. */
const NAMESAKES = 50

/**
 * Other leads of the same kind that share this lead's phone number, mailbox, or last name together with its state or
 * company. Those with most in common come first, then the newest.
 */
export async function mergeCandidates(db: Kysely<Schema>, lead: Lead, limit: number): Promise<MergeCandidate[]> {
  const { found, add } = await reachedAlike(db, lead)
  const namesakes = await withLastName(db, lead)
  add(
    'name and state',
    namesakes.filter(({ state }) => state !== null && state === lead.state),
  )
  add(
    'name and company',
    namesakes.filter(
      ({ company, id }) =>
        company !== null && company === lead.company && !found.get(id)?.alike.includes('name and state'),
    ),
  )
  return [...found.values()]
    .toSorted((a, b) => b.alike.length - a.alike.length || b.lead.id - a.lead.id)
    .slice(0, limit)
}

/** Other open leads of the same kind that share a phone number or a mailbox with this lead, the newest first. */
export async function likelySamePerson(db: Kysely<Schema>, lead: Lead, limit: number): Promise<MergeCandidate[]> {
  const { found } = await reachedAlike(db, lead)
  return [...found.values()]
    .filter(one => one.lead.stage !== 'closed')
    .toSorted((a, b) => b.lead.id - a.lead.id)
    .slice(0, limit)
}

/** Leads that share a phone number or a mailbox with this one. `add` adds leads that are similar in another way. */
async function reachedAlike(db: Kysely<Schema>, lead: Lead) {
  const found = new Map<number, MergeCandidate>()
  const add = (alike: Likeness, leads: readonly Lead[]) => {
    for (const one of leads) {
      if (one.id === lead.id || one.kind !== lead.kind) continue
      if (keyOf(one) === keyOf(lead)) continue
      const known = found.get(one.id) ?? { lead: one, alike: [] }
      found.set(one.id, { ...known, alike: [...new Set([...known.alike, alike])] })
    }
  }
  for (const phone of [lead.phoneE164, lead.latestPhone])
    if (phone !== null) add('phone', await findLeadsByPhone(db, phone))
  add('mailbox', await ofMailbox(db, lead))
  return { found, add }
}

async function ofMailbox(db: Kysely<Schema>, lead: Lead): Promise<Lead[]> {
  const rows = await db
    .selectFrom('leads')
    .selectAll()
    .where('id', 'in', leadsOfMailbox(db, { key: keyOf(lead), kind: lead.kind }))
    .orderBy('id', 'desc')
    .limit(NAMESAKES)
    .execute()
  return asKept(db, rows.map(asLead))
}

async function withLastName(db: Kysely<Schema>, lead: Lead): Promise<Lead[]> {
  const search = parseWords(lead.lastName)
  if (search === undefined) return []
  const state = lead.kind === 'student' ? factsOf({ state: lead.state ?? undefined }) : []
  const wanted = { facts: [...state, ...wholeNames(search)] }
  const ids = await findByWords(db, wanted, { limit: NAMESAKES })
  if (ids.length === 0) return []
  const rows = await db.selectFrom('leads').selectAll().where('id', 'in', ids).execute()
  // The words may also match a first name.
  const namesakes = rows.filter(row => isSame(row.last_name, lead.lastName))
  return asKept(db, namesakes.map(asLead))
}

const isSame = (one: string, other: string): boolean => one.localeCompare(other, 'en', { sensitivity: 'base' }) === 0
