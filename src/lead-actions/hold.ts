/** Exempting a lead from the rules that erase old leads, and ending the exemption. */
import type { LeadHold } from '../store/privacy/holds.ts'
import { actedOn, andTell, type LeadAction } from './services.ts'

/** `note` is what the timeline says. */
type Input = Pick<LeadHold, 'reason' | 'until'> & { note: string }

export const hold: LeadAction<Input> = (services, lead, { reason, until, note }, by) => {
  const context = actedOn(services, by, { action: 'put a retention hold on' })
  return andTell(services, services.store.holdLead(lead.id, { reason, until, note, ...context }))
}

export const endHold: LeadAction = (services, lead, _, by) => {
  const context = actedOn(services, by, { action: 'ended the retention hold on' })
  return andTell(services, services.store.endHold(lead.id, { note: 'No longer kept from being erased.', ...context }))
}
