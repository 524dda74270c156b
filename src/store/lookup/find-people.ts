/** Finding the people that someone means by an address or a number. */
import type { Kysely } from 'kysely'
import { isAddress } from '../../leads/body/person-key.ts'
import { reachOf } from '../../leads/lead/lead.ts'
import type { Schema } from '../tables/schema.ts'
import { findLeadsByPhone, findLeadsOf } from './find-leads.ts'

/**
 * The people with an address, or whose leads have a number (as `personKey` has it), each by their address or, without
 * one, their number. One number may be that of several people; an address is one person, whether anything is stored
 * about them or not, and so is a number that no lead has.
 */
export async function findPeople(db: Kysely<Schema>, person: string): Promise<string[]> {
  if (isAddress(person)) return [person]
  const leads = [...(await findLeadsOf(db, person)), ...(await findLeadsByPhone(db, person))]
  return leads.length === 0 ? [person] : [...new Set(leads.map(reachOf))]
}
