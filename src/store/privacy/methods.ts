/** The store methods about what is stored about a person, and erasing it. */
export { forgetClientAddresses } from './client-addresses.ts'
export { listErasedMessages } from './erased-messages.ts'
export { erasePerson } from './erasure.ts'
export {
  confirmErasure,
  declineErasure,
  expireErasureRequests,
  listConfirmers,
  listErasureRequests,
  readErasureRequest,
  requestErasure,
} from './erasure-requests.ts'
export { endHold, holdLead, readHold } from './holds.ts'
export {
  readPersonDrafts,
  readPersonEntries,
  readPersonIds,
  readPersonMails,
  readPersonRows,
  readPersonStrays,
  readPersonSubmissions,
} from './person-data.ts'
export { readPersonSummary, readReachOf } from './person-summary.ts'
export {
  addRetentionMail,
  countPlanned,
  dropPlans,
  erasePlanned,
  listPlanned,
  planErasures,
  readPlanned,
  readRetentionMailSent,
} from './planned-erasures.ts'
export { listErasures, wasErasureAsked } from './register.ts'
