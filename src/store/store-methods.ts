/** Every query that the rest of the program may ask of the store, in one table. */
import { addAbsence, listAbsences, removeAbsence } from './absences.ts'
import { hasAccount, importAccounts } from './accounts.ts'
import { assignLead, moveLead, noteLead, pauseLead, recordAttempt, resumeLead } from './actions.ts'
import { keepCadence } from './cadence-versions.ts'
import { erasePerson } from './erasure.ts'
import { fileSubmissions } from './filing.ts'
import {
  findMessage,
  findStudentLeads,
  readMailboxPlace,
  recordInbound,
  setMailboxPlace,
  stopLetters,
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
  dismissHeld,
  expireQuarantine,
  listQuarantine,
  readHeld,
  releaseHeld,
} from './quarantine.ts'
import { keepSecret } from './secrets.ts'
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

export const operations = {
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
  dismissHeld,
  erasePerson,
  expireQuarantine,
  fileSubmissions,
  findMessage,
  findStudentLeads,
  finishTask,
  finishTasks,
  hasAccount,
  importAccounts,
  keepCadence,
  keepSecret,
  listAbsences,
  listLeads,
  listMail,
  listQuarantine,
  moveLead,
  noteLead,
  pauseLead,
  postponeTask,
  readEntry,
  readFollowUp,
  readHeld,
  readLatest,
  readLead,
  readLeadOfSubmission,
  readMailboxPlace,
  readResponses,
  readSuppression,
  readUnfiled,
  recordAttempt,
  recordInbound,
  recordSent,
  refile,
  releaseHeld,
  releaseTasks,
  removeAbsence,
  resumeLead,
  retryMail,
  setMailboxPlace,
  stopLetters,
  suppress,
  unsuppress,
}

type Bound<F> = F extends (db: never, ...args: infer A) => infer R ? (...args: A) => R : never

/** The operations without their first argument, the database. */
export type Operations = { [Name in keyof typeof operations]: Bound<(typeof operations)[Name]> }
