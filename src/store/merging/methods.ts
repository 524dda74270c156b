/** The store methods about merging leads and taking it back. */
export { likelySamePerson, mergeCandidates } from './candidates.ts'
export { dryRunMerge, mergeLeads } from './merge.ts'
export { unmergeLead } from './unmerge.ts'
