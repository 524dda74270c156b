/** Finding the people that someone means by an address or a number. */
import type { Kysely } from 'kysely'
import { emailKey } from '../../leads/body/email.ts'
import { isAddress } from '../../leads/body/person-key.ts'
import { reachOf } from '../../leads/lead/lead.ts'
import type { Was } from '../../leads/lead/timeline-entries.ts'
import { wordsOfText } from '../../leads/words/search-words.ts'
import { asLead } from '../leads/leads.ts'
import { asKept } from '../leads/merged-leads.ts'
import type { Schema } from '../tables/schema.ts'
import { findLeadsByPhone, findLeadsOf } from './find-leads.ts'
import { findByWords } from './word-search.ts'

/**
 * The people with an address, or whose leads have a number (as `personKey` has it). Each person is named by their
 * address or, if they have none, by their number. Several people may share a number. An address itself comes first,
 * even if nothing is stored about it, then people whose leads had it before it was corrected, since they may be the
 * same person. A number that no lead has counts as one person.
 */
export async function findPeople(db: Kysely<Schema>, person: string): Promise<string[]> {
  if (isAddress(person)) return [...new Set([person, ...(await correctedFrom(db, person))])]
  const leads = [...(await findLeadsOf(db, person)), ...(await findLeadsByPhone(db, person))]
  return leads.length === 0 ? [person] : [...new Set(leads.map(reachOf))]
}

/** More leads than ever had one address. */
const MOST = 100

/** The people whose leads had an address, and have another one or none by now. */
async function correctedFrom(db: Kysely<Schema>, address: string): Promise<string[]> {
  const key = emailKey(address)
  // What a lead has had stays among its words.
  const words = { words: wordsOfText(address).split(' '), prefix: undefined }
  const ids = await findByWords(db, { words }, { limit: MOST })
  if (ids.length === 0) return []
  const entries = await db
    .selectFrom('timeline as e')
    .innerJoin('leads as l', 'l.id', 'e.lead_id')
    .leftJoin('submissions as s', 's.id', 'e.submission_id')
    .select(['l.id', 'e.was', 's.email'])
    .where('l.id', 'in', ids)
    .where('l.corrected_at', 'is not', null)
    .where('l.person_key', '<>', key)
    .where('e.kind', 'in', ['submission', 'corrected'])
    .execute()
  const hadIt = entries.filter(({ was, email }) =>
    [email, (JSON.parse(was ?? '{}') as Was).email].some(one => one != null && emailKey(one) === key),
  )
  if (hadIt.length === 0) return []
  const rows = await db
    .selectFrom('leads')
    .selectAll()
    .where('id', 'in', [...new Set(hadIt.map(({ id }) => id))])
    .orderBy('id', 'desc')
    .execute()
  return (await asKept(db, rows.map(asLead))).map(reachOf)
}
