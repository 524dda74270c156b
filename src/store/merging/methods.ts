/** The store methods about merging leads and taking it back. */
import { mergeCandidates } from './candidates.ts'
import { mergeLeads } from './merge.ts'
import { unmergeLead } from './unmerge.ts'

export const mergingMethods = {
  mergeCandidates,
  mergeLeads,
  unmergeLead,
}
