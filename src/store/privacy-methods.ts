/** The store methods about erasing people, and what is stored of them. */

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
  readPersonStrays,
  readPersonSubmissions,
} from './person-data.ts'
import {
  addRetentionNotice,
  countPlanned,
  dropPlans,
  erasePlanned,
  listPlanned,
  planErasures,
  readNoticeSent,
  readPlanned,
} from './retention.ts'
import { readEmailOf, readStoredPerson } from './stored-person.ts'

export const privacyMethods = {
  addRetentionNotice,
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
  listErasureRequests,
  listErasures,
  listPlanned,
  planErasures,
  readEmailOf,
  readErasureRequest,
  readHold,
  readNoticeSent,
  readPersonEntries,
  readPersonIds,
  readPersonMails,
  readPersonStrays,
  readPersonSubmissions,
  readPlanned,
  readStoredPerson,
  requestErasure,
}
