/** Every query that the rest of the program may ask of the store, in one table. */
import { addAbsence, listAbsences, removeAbsence } from './absences.ts'
import { hasAccount, importAccounts } from './accounts.ts'
import {
  addNote,
  assignLead,
  changeStage,
  pauseLead,
  recordCallAttempt,
  resumeLead,
} from './actions.ts'
import { getOrCreateCadence } from './cadence-versions.ts'
import { erasePerson } from './erasure.ts'
import { fileSubmissions } from './filing.ts'
import {
  findMessage,
  findStudentLeads,
  readMailboxPosition,
  recordInbound,
  setMailboxPosition,
  stopFollowUpEmails,
} from './inbound.ts'
import {
  listLeads,
  readEntry,
  readLatest,
  readLead,
  readLeadOfSubmission,
  readResponses,
} from './leads.ts'
import { addDigest, listMail, recordSent, retryMail } from './outbox.ts'
import {
  dismissQuarantined,
  expireQuarantine,
  listQuarantine,
  readQuarantined,
  releaseQuarantined,
} from './quarantine.ts'
import { getOrCreateSecret } from './secrets.ts'
import { beginStep, closeUnanswered, concludeStep, readFollowUp } from './steps.ts'
import { readSuppression, suppress, unsuppress } from './suppressions.ts'
import {
  claimTasks,
  countBacklog,
  deferTask,
  finishTask,
  finishTasks,
  postponeTask,
  refile,
  releaseTasks,
} from './tasks.ts'
import { countTextAddresses, readUnfiled } from './unfiled.ts'

export const storeMethods = {
  addAbsence,
  addDigest,
  assignLead,
  beginStep,
  claimTasks,
  closeUnanswered,
  concludeStep,
  countBacklog,
  countTextAddresses,
  deferTask,
  dismissQuarantined,
  erasePerson,
  expireQuarantine,
  fileSubmissions,
  findMessage,
  findStudentLeads,
  finishTask,
  finishTasks,
  hasAccount,
  importAccounts,
  getOrCreateCadence,
  getOrCreateSecret,
  listAbsences,
  listLeads,
  listMail,
  listQuarantine,
  changeStage,
  addNote,
  pauseLead,
  postponeTask,
  readEntry,
  readFollowUp,
  readQuarantined,
  readLatest,
  readLead,
  readLeadOfSubmission,
  readMailboxPosition,
  readResponses,
  readSuppression,
  readUnfiled,
  recordCallAttempt,
  recordInbound,
  recordSent,
  refile,
  releaseQuarantined,
  releaseTasks,
  removeAbsence,
  resumeLead,
  retryMail,
  setMailboxPosition,
  stopFollowUpEmails,
  suppress,
  unsuppress,
}

type Bound<F> = F extends (db: never, ...args: infer A) => infer R ? (...args: A) => R : never

/** The operations without their first argument, the database. */
export type StoreMethods = {
  [Name in keyof typeof storeMethods]: Bound<(typeof storeMethods)[Name]>
}
