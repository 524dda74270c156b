/** The store methods about merging and unmerging leads. */

export { likelySamePerson, mergeCandidates } from './merge-candidates.ts'
export { dryRunMerge, mergeLeads } from './merge-leads.ts'
export { unmergeLead } from './unmerge-lead.ts'
