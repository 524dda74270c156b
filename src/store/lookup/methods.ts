/** The store methods about finding leads, and reading everything about one. */
import { findEarlierLeads, findLeadsAt, findLeadsByEmail, findLeadsByPhone, searchLeads } from './find-leads.ts'
import { countHistory, readChangesSince } from './history-counts.ts'
import { readLead } from './lead-history.ts'
import { readLatest, readLeadOfSubmission } from './lead-of-submission.ts'
import { listLeads } from './list-leads.ts'
import { readPhones } from './phones.ts'

export const lookupMethods = {
  countHistory,
  findEarlierLeads,
  findLeadsAt,
  findLeadsByEmail,
  findLeadsByPhone,
  listLeads,
  readChangesSince,
  readLatest,
  readLead,
  readLeadOfSubmission,
  readPhones,
  searchLeads,
}
