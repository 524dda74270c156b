/** The store methods about destinations, and what they are told of. */
export {
  expireDeliveries,
  findDelivery,
  listDeliveries,
  recordAttempt,
  resendDelivery,
  sendTest,
  waitForEarlier,
} from './deliveries.ts'
export {
  addDestination,
  changeDestination,
  deleteDestination,
  listDestinations,
  readDestination,
  switchOff,
  switchOn,
} from './destinations.ts'
