/** Resuming a follow-up as if the time of its pause had not passed. */
import { resumption } from '../follow-up/schedule.ts'
import type { Lead } from '../leads/lead/lead.ts'
import type { Resumption } from '../store/actions/pause-and-resume.ts'
import { actedOn, andTell, type LeadAction, type Services } from './services.ts'

export const resume: LeadAction = async (services, lead, _, by) => {
  const context = actedOn(services, by, { detail: 'resume' })
  const plan = await resumptionOf(services, lead, context.now)
  if (plan === undefined) return { outcome: 'before', lead }
  return andTell(services, services.store.resumeLead(lead.id, { ...plan, ...context }))
}

/** How a lead's follow-up continues if its pause ends now; undefined if it is not paused. */
export async function resumptionOf(
  { store, calendar }: Pick<Services, 'store' | 'calendar'>,
  lead: Lead,
  now: number,
): Promise<Resumption | undefined> {
  if (lead.pausedAt === null) return undefined
  const followUp = await store.readFollowUp(lead.id)
  if (followUp === undefined) return { since: lead.createdAt, steps: [] }
  return resumption(followUp, lead.pausedAt, now, calendar.hoursFor(lead))
}
