/** The store methods about merging leads and taking it back. */

export { dryRunMerge, mergeLeads } from './merge.ts'
export { likelySamePerson, mergeCandidates } from './merge-candidates.ts'
export { unmergeLead } from './unmerge.ts'
