/** The store methods about what is stored of a person, and erasing it. */
import { forgetClientAddresses } from './client-addresses.ts'
import { listErasedMessages } from './erased-messages.ts'
import { erasePerson } from './erasure.ts'
import { endHold, holdLead, readHold } from './holds.ts'
import {
  readPersonEntries,
  readPersonIds,
  readPersonMails,
  readPersonRows,
  readPersonStrays,
  readPersonSubmissions,
} from './person-data.ts'
import { readEmailOf, readPersonSummary } from './person-summary.ts'
import { listErasures, wasErasureAsked } from './register.ts'
import {
  confirmErasure,
  declineErasure,
  expireErasureRequests,
  listConfirmers,
  listErasureRequests,
  readErasureRequest,
  requestErasure,
} from './requests.ts'
import {
  addRetentionMail,
  countPlanned,
  dropPlans,
  erasePlanned,
  listPlanned,
  planErasures,
  readPlanned,
  readRetentionMailSent,
} from './retention.ts'

export const privacyMethods = {
  addRetentionMail,
  confirmErasure,
  countPlanned,
  declineErasure,
  dropPlans,
  endHold,
  erasePerson,
  erasePlanned,
  expireErasureRequests,
  forgetClientAddresses,
  holdLead,
  listConfirmers,
  listErasedMessages,
  listErasureRequests,
  listErasures,
  listPlanned,
  planErasures,
  readEmailOf,
  readErasureRequest,
  readHold,
  readPersonEntries,
  readPersonIds,
  readPersonMails,
  readPersonRows,
  readPersonStrays,
  readPersonSubmissions,
  readPersonSummary,
  readPlanned,
  readRetentionMailSent,
  requestErasure,
  wasErasureAsked,
}
