/** The store methods about what is stored of a person, and about erasing it. */
import { listErasedMessages } from './erased-messages.ts'
import { erasePerson } from './erasure.ts'
import { listErasures } from './erasure-register.ts'
import {
  confirmErasure,
  declineErasure,
  expireErasureRequests,
  listConfirmers,
  listErasureRequests,
  readErasureRequest,
  requestErasure,
} from './erasure-requests.ts'
import { endHold, holdLead, readHold } from './lead-holds.ts'
import {
  readPersonEntries,
  readPersonIds,
  readPersonMails,
  readPersonRows,
  readPersonStrays,
  readPersonSubmissions,
} from './person-data.ts'
import { readEmailOf, readPersonSummary } from './person-summary.ts'
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
  readRetentionMailSent,
  readPersonEntries,
  readPersonIds,
  readPersonMails,
  readPersonRows,
  readPersonStrays,
  readPersonSubmissions,
  readPlanned,
  readPersonSummary,
  requestErasure,
}
