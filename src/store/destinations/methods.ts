/** The store methods about destinations and their deliveries. */

export { recordWeek } from '../events/record-events.ts'
export { findDelivery, recordAttempt, skipSettled, waitForDestination, waitForEarlier } from './deliveries.ts'
export { expireDeliveries, handOverLead, listDeliveries, resendDeliveries, sendTest } from './delivery-log.ts'
export {
  addDestination,
  changeDestination,
  countMissed,
  deleteDestination,
  listDestinations,
  readDestination,
  switchOff,
  switchOn,
} from './destinations.ts'
export { holdDestination, releaseDestination } from './hold-back.ts'
export { revokeApiToken } from './revoke-token.ts'
export { readToldLeads } from './told-leads.ts'
