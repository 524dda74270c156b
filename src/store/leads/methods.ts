/** The store methods about leads and their timelines. */
export { listCallbacks } from './callbacks.ts'
export { countDrafts, deleteDraft, expireDrafts, readDrafts, readOwnDraft, saveDraft } from './drafts.ts'
export { findExactLead, findLead } from './leads.ts'
export { addressesOfPerson, readMergedLeads } from './merged-leads.ts'
export { recentOrigins } from './origins.ts'
export { readCorrections } from './read-corrections.ts'
export { countEmails, readEntry, readLatestEntry } from './timeline.ts'
export { listTried } from './tried-to-reach.ts'
