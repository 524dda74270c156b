/** Every query that the rest of the program may ask of the store, in one table. */
import { fileSubmissions } from './filing.ts'
import { listLeads, readLead, readLeadOfSubmission } from './leads.ts'
import { addDigest, listMail, recordSent, retryMail } from './outbox.ts'
import { dismissHeld, expireQuarantine, listQuarantine, releaseHeld } from './quarantine.ts'
import { keepSecret } from './secrets.ts'
import {
  claimTasks,
  countBacklog,
  finishTask,
  finishTasks,
  postponeTask,
  refile,
  releaseTasks,
} from './tasks.ts'
import { countTextAddresses, readUnfiled } from './unfiled.ts'

export const operations = {
  addDigest,
  claimTasks,
  countBacklog,
  countTextAddresses,
  dismissHeld,
  expireQuarantine,
  fileSubmissions,
  finishTask,
  finishTasks,
  keepSecret,
  listLeads,
  listMail,
  listQuarantine,
  postponeTask,
  readLead,
  readLeadOfSubmission,
  readUnfiled,
  recordSent,
  refile,
  releaseHeld,
  releaseTasks,
  retryMail,
}

type Bound<F> = F extends (db: never, ...args: infer A) => infer R ? (...args: A) => R : never

/** The operations without their first argument, the database. */
export type Operations = { [Name in keyof typeof operations]: Bound<(typeof operations)[Name]> }
