/** Resuming a follow-up as if the time of its pause had not passed. */
import { resumption } from '../follow-up/schedule.ts'
import type { Lead } from '../leads/lead/lead.ts'
import type { ActionContext, Changed } from '../store/actions/change-lead.ts'
import { actedOn, andTell, type LeadAction, type Services } from './services.ts'

export const resume: LeadAction = (services, lead, _, by) =>
  andTell(services, resumeFollowUp(services, lead, actedOn(services, by, { detail: 'resume' })))

/** The same for a pause that ends by itself, with `tell`, which sends the counselor an email. */
export async function resumeFollowUp(
  { store, calendar }: Pick<Services, 'store' | 'calendar'>,
  lead: Lead,
  { tell = false, ...context }: { tell?: boolean } & ActionContext,
): Promise<Changed> {
  if (lead.pausedAt === null) return { outcome: 'before', lead }
  const followUp = await store.readFollowUp(lead.id)
  const hours = calendar.hoursFor(lead.state)
  const plan = followUp ? resumption(followUp, lead.pausedAt, context.now, hours) : { since: lead.createdAt, steps: [] }
  return store.resumeLead(lead.id, { ...plan, tell, ...context })
}
