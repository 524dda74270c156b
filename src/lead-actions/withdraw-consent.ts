/** Recording that the person took back their consent to calls and texts, for example on the phone. */
import { actedOn, andTell, type LeadAction } from './services.ts'

export const withdrawConsent: LeadAction = (services, lead, _, by) =>
  andTell(services, services.store.withdrawConsent(lead.id, actedOn(services, by, { detail: 'withdraw consent' })))
