/** Hands a lead over, by a link or by a command: to a counselor, the manager or the team. */
import type { Calendar } from '../follow-up/calendar.ts'
import { restartOf } from '../follow-up/schedule.ts'
import type { Lead } from '../leads/lead.ts'
import type { HandOver, HandOverResult } from '../store/handing-over.ts'
import type { ActionContext } from '../store/staff-actions.ts'
import type { Store } from '../store/store.ts'
import type { Addressees } from './addressees.ts'

type Dependencies = {
  store: Pick<Store, 'assignLead' | 'readFollowUp'>
  calendar: Calendar
  addressees: Addressees
}

/** Assigns the lead, with the reminders that restart, and says who gets the messages if the owner is away. */
export async function handOver(
  { store, calendar, addressees }: Dependencies,
  lead: Lead,
  { owner, actor, now }: Pick<HandOver, 'owner'> & ActionContext,
): Promise<HandOverResult> {
  const standIn = await addressees.standIn({ ...lead, owner }, now)
  const followUp = await store.readFollowUp(lead.id)
  const hours = calendar.hoursFor(lead.state)
  const restart = followUp && restartOf(followUp.cadence, 'staff', now, hours)
  const away = standIn !== undefined
  const outcome = await store.assignLead(lead.id, { owner, restart, away, actor, now })
  return { outcome, standIn }
}
