/** Finding the people that someone means by an address or a number. */
import type { Kysely } from 'kysely'
import { isAddress } from '../../leads/body/person-key.ts'
import { reachOf } from '../../leads/lead/lead.ts'
import type { Schema } from '../tables/schema.ts'
import { findLeadsByPhone, findLeadsOf } from './find-leads.ts'

/**
 * The people with an address, or whose leads have a number (as `personKey` has it). Each person is named by their
 * address or, if they have none, by their number. Several people may share a number. An address stands for one person,
 * even if nothing is stored about them; so does a number that no lead has.
 */
export async function findPeople(db: Kysely<Schema>, person: string): Promise<string[]> {
  if (isAddress(person)) return [person]
  const leads = [...(await findLeadsOf(db, person)), ...(await findLeadsByPhone(db, person))]
  return leads.length === 0 ? [person] : [...new Set(leads.map(reachOf))]
}
