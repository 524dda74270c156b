/** Assigns one lead, by a link, by a command or in the console, and undoes that. */
import type { Calendar } from '../follow-up/calendar.ts'
import { restartOf } from '../follow-up/schedule.ts'
import type { Lead } from '../leads/lead/lead.ts'
import type { Assignment, AssignmentResult } from '../store/actions/assign-lead.ts'
import type { ActionContext, ActionResult } from '../store/actions/staff-actions.ts'
import type { Store } from '../store/store.ts'
import type { Addressees } from './messages/addressees.ts'

type Dependencies = {
  store: Pick<Store, 'assignLead' | 'findLead' | 'readEntry' | 'readFollowUp' | 'undoAction'>
  calendar: Calendar
  addressees: Addressees
}

/** Assigns the lead, with the reminders that restart, and says who gets the messages if the owner is away. */
export async function assignLead(
  deps: Dependencies,
  lead: Lead,
  { owner, ...by }: Pick<Assignment, 'owner'> & ActionContext,
): Promise<AssignmentResult> {
  const { standIn, restart, away } = await consequences(deps, lead, owner, by.now)
  const outcome = await deps.store.assignLead(lead.id, { owner, restart, away, ...by })
  return { outcome, standIn }
}

/** Undoes the action that an entry of a timeline records; an assignment with everything that follows from it. */
export async function undo(deps: Dependencies, entryId: number, { actor, now }: ActionContext): Promise<ActionResult> {
  const { store } = deps
  const entry = await store.readEntry(entryId)
  const lead = entry && (await store.findLead(entry.leadId))
  if (!lead) return 'gone'
  const { restart, away } = await consequences(deps, lead, entry.was?.owner ?? null, now)
  return store.undoAction(entryId, { restart, away, actor, now })
}

async function consequences(
  { store, calendar, addressees }: Dependencies,
  lead: Lead,
  owner: string | null,
  now: number,
) {
  const standIn = await addressees.standIn({ ...lead, owner }, now)
  const followUp = await store.readFollowUp(lead.id)
  const hours = calendar.hoursFor(lead.state)
  const restart = followUp && restartOf(followUp.cadence, 'staff', now, hours)
  return { standIn, restart, away: standIn !== undefined }
}
