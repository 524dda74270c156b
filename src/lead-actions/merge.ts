/** Merging a lead into another lead of the same person: which tracks start over, continue or stop. */
import type { Place } from '../follow-up/area-codes.ts'
import { openSteps, tracksTaken } from '../follow-up/merged-follow-ups.ts'
import { restartsFor } from '../follow-up/schedule.ts'
import type { Lead } from '../leads/lead/lead.ts'
import { type MergedFollowUps, mergedLead } from '../leads/lead/merging.ts'
import type { FollowUp } from '../store/follow-up/steps.ts'
import type { Merged, MergeRestarts } from '../store/merging/merge-leads.ts'
import type { Store } from '../store/store.ts'
import type { Absence } from '../store/team/absences.ts'
import { type NextStep, stepsToCome } from './follow-up-plan.ts'
import { actedOn, andTell, type LeadAction, type Services } from './services.ts'

/** The lead that becomes part of this one, and the newest entry of its timeline that the operator saw. */
type Input = { other: Lead; seenOther?: number | undefined }

export const merge: LeadAction<Input, Merged> = async (services, kept, { other, seenOther }, by) => {
  const context = actedOn(services, by, { action: 'merged', detail: `lead ${other.id}` })
  const { store } = services
  const followUp = (await store.readFollowUp(kept.id)) ?? (await store.readFollowUp(other.id))
  const restarts = mergeRestartsOf(services, followUp, mergedLead(kept, other), context.now)
  return andTell(services, store.mergeLeads(kept.id, { other: other.id, seenOther, restarts, ...context }))
}

/** What a merge would mean for both follow-ups, and which steps would follow. `absences`: from today on. */
export async function dryRunMerge(
  services: Services,
  kept: Side,
  other: Side,
  absences: readonly Absence[],
): Promise<MergedFollowUps & { steps: NextStep[] }> {
  const { store, clock } = services
  const now = clock.now()
  const restarts = mergeRestartsOf(services, kept.followUp ?? other.followUp, mergedLead(kept.lead, other.lead), now)
  const followUp = await store.dryRunMerge(kept.lead.id, { other: other.lead.id, restarts, actor: '', now })
  const steps = await stepsToCome(services, followUp, followUp?.lead.callbackAt ?? now, { absences })
  return { ...mergedFollowUps(kept, other), steps }
}

/** Which follow-up would continue after a merge, and which would stop. */
export async function followUpsOfMerge(
  store: Pick<Store, 'readFollowUp'>,
  kept: Lead,
  other: Lead,
): Promise<MergedFollowUps> {
  const side = async (lead: Lead) => ({ lead, followUp: await store.readFollowUp(lead.id) })
  return mergedFollowUps(await side(kept), await side(other))
}

type Side = { lead: Lead; followUp: FollowUp | undefined }

function mergedFollowUps(kept: Side, other: Side): MergedFollowUps {
  const waits = ({ lead, followUp }: Side) =>
    lead.stage === 'new' && followUp !== undefined && openSteps(followUp).length > 0
  if (mergedLead(kept.lead, other.lead).stage !== 'new') {
    const stops = [...(waits(kept) ? ['kept' as const] : []), ...(waits(other) ? ['other' as const] : [])]
    return { goesOn: null, emailsGoOn: false, stops }
  }
  const taken = other.lead.stage === 'closed' ? [] : tracksTaken(kept.followUp, other.followUp)
  const emailsGoOn = taken.includes('student')
  if (kept.followUp === undefined) {
    const goesOn = other.followUp !== undefined && other.lead.stage === 'new' ? 'other' : null
    return { goesOn, emailsGoOn, stops: [] }
  }
  // Reminders that are over start again if the person is also waiting on the other lead.
  const goesOn = waits(kept) || waits(other) ? 'kept' : null
  return { goesOn, emailsGoOn, stops: waits(other) ? ['other'] : [] }
}

/** Which reminders start again, and when the lead is closed: by its own follow-up, otherwise by the other lead's. */
function mergeRestartsOf(
  { calendar }: Services,
  followUp: FollowUp | undefined,
  place: Place,
  now: number,
): MergeRestarts | undefined {
  if (followUp === undefined) return undefined
  const { cadence, cadenceId } = followUp
  return { cadenceId, tracks: restartsFor(cadence, now, calendar.hoursFor(place)) }
}
