/** The store methods about merging leads and taking it back. */
import { likelySamePerson, mergeCandidates } from './candidates.ts'
import { dryRunMerge, mergeLeads } from './merge.ts'
import { unmergeLead } from './unmerge.ts'

export const mergingMethods = { dryRunMerge, likelySamePerson, mergeCandidates, mergeLeads, unmergeLead }
