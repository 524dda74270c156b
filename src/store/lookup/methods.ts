/** The store methods about finding leads, and reading everything about one. */

export { listChangedLeads } from './changed-leads.ts'
export { findColleaguesLeads } from './colleagues-leads.ts'
export { findEarlierLeads, findLeadsAt, findLeadsOf, searchLeads } from './find-leads.ts'
export { findPeople } from './find-people.ts'
export { countHistory, readChangesSince } from './history-counts.ts'
export { readLead } from './lead-history.ts'
export { readLatest, readLeadOfSubmission } from './lead-of-submission.ts'
export { listLeads } from './list-leads.ts'
export { readPhones } from './phones.ts'
