/** Separating a lead from the one it was merged into: each gets its own history and follow-up back. */
import type { Unmerged } from '../store/merging/unmerge-lead.ts'
import { actedOn, andTell, type LeadAction } from './services.ts'

/** The id of the lead that was merged into this one. The result is the separated lead after the change. */
type Input = { other: number }

export const unmerge: LeadAction<Input, Unmerged> = (services, _, { other }, by) =>
  andTell(
    services,
    services.store.unmergeLead(other, actedOn(services, by, { action: 'unmerged', detail: `lead ${other}` })),
  )
