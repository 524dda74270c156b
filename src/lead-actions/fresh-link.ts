/** An email with fresh links to a lead, for the person whose links have expired. */
import { actedOn, andTell, type LeadAction } from './services.ts'

export const requestFreshLink: LeadAction = (services, lead, _, by) =>
  andTell(services, services.store.requestFreshLink(lead.id, actedOn(services, by, { detail: 'fresh link' })))
