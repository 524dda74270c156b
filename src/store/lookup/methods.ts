/** The store methods about finding leads, and reading everything about one. */
export { findEarlierLeads, findLeadsAt, findLeadsByEmail, searchLeads } from './find-leads.ts'
export { countHistory, readChangesSince } from './history-counts.ts'
export { readLead } from './lead-history.ts'
export { readLatest, readLeadOfSubmission } from './lead-of-submission.ts'
export { listLeads } from './list-leads.ts'
export { readPhones } from './phones.ts'
