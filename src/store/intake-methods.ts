/** The store methods about submissions after their acceptance: filing, quarantine, and what screening knows. */
import { hasAccount, importAccounts } from './accounts.ts'
import { forgetClientAddresses } from './client-addresses.ts'
import { fileSubmissions, readUnfiled } from './filing.ts'
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

export const intakeMethods = {
  countTextAddresses,
  dismissQuarantined,
  expireQuarantine,
  fileSubmissions,
  forgetClientAddresses,
  hasAccount,
  importAccounts,
  listQuarantine,
  readForDigest,
  readQuarantined,
  readUnfiled,
  releaseQuarantined,
  undoDismissal,
  undoRelease,
}
