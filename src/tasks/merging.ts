/** What begins again, goes on and stops when two leads are merged. */
import type { Calendar } from '../follow-up/calendar.ts'
import { openSteps, type SteppedFollowUp, tracksTaken } from '../follow-up/merged.ts'
import type { Lead } from '../leads/lead/lead.ts'
import { type MergedFollowUps, mergedLead } from '../leads/lead/merging.ts'
import type { MergeRestarts } from '../store/merging/merge.ts'
import type { Store } from '../store/store.ts'
import { tracksAgain } from './restarts.ts'

type FollowUpStore = Pick<Store, 'readFollowUp'>

/** Which follow-up would go on if the other lead were merged into the kept one, and which would stop. */
export async function followUpsOfMerge(store: FollowUpStore, kept: Lead, other: Lead): Promise<MergedFollowUps> {
  const side = async (lead: Lead) => ({ lead, followUp: await store.readFollowUp(lead.id) })
  return mergedFollowUps(await side(kept), await side(other))
}

type Side = { lead: Lead; followUp: SteppedFollowUp | undefined }

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
  // Reminders that are over begin again if the person of the other lead waits, too.
  const goesOn = waits(kept) || waits(other) ? 'kept' : null
  return { goesOn, emailsGoOn, stops: waits(other) ? ['other'] : [] }
}

/** The reminders and the close that begin again: by the kept lead's follow-up, or by that which it takes from the other. */
export async function mergeRestartsOf(
  deps: { store: FollowUpStore; calendar: Calendar },
  kept: Lead,
  other: Lead,
  now: number,
): Promise<MergeRestarts | undefined> {
  const { store } = deps
  const followUp = (await store.readFollowUp(kept.id)) ?? (await store.readFollowUp(other.id))
  if (followUp === undefined) return undefined
  const { cadence, cadenceId } = followUp
  const tracks = tracksAgain(deps.calendar, cadence, kept.state ?? other.state, now)
  return { cadenceId, tracks }
}
