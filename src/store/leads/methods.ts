/** The store methods about leads and their timelines. */
import { findExactLead, findLead } from './leads.ts'
import { addressesOfPerson, readMergedLeads } from './merged-leads.ts'
import { recentOrigins } from './origins.ts'
import { readCorrections } from './read-corrections.ts'
import { countEmails, readEntry, readLatestEntry } from './timeline.ts'
import { listTried } from './tried-to-reach.ts'

export const leadsMethods = {
  addressesOfPerson,
  countEmails,
  findExactLead,
  findLead,
  listTried,
  readCorrections,
  readEntry,
  readLatestEntry,
  readMergedLeads,
  recentOrigins,
}
