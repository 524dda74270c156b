/** Pausing a follow-up until someone resumes it. */
import { actedOn, andTell, type LeadAction } from './services.ts'

export const pause: LeadAction = (services, lead, _, by) =>
  andTell(services, services.store.pauseLead(lead.id, actedOn(services, by, { detail: 'pause' })))
