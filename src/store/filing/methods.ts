/** The store methods about filing, quarantine, and what screening knows. */
import { hasAccount, importAccounts } from './accounts.ts'
import { fileSubmissions, readUnfiled } from './filing.ts'
import { readGathered, recordGathered } from './gathered-notifications.ts'
import { countTextAddresses } from './message-texts.ts'
import {
  dismissQuarantined,
  expireQuarantine,
  listQuarantine,
  readQuarantined,
  releaseQuarantined,
  undoDismissal,
  undoRelease,
} from './quarantine.ts'
import { readForDigest } from './quarantine-choice.ts'

export const filingMethods = {
  countTextAddresses,
  dismissQuarantined,
  expireQuarantine,
  fileSubmissions,
  hasAccount,
  importAccounts,
  listQuarantine,
  readForDigest,
  readGathered,
  readQuarantined,
  readUnfiled,
  recordGathered,
  releaseQuarantined,
  undoDismissal,
  undoRelease,
}
