/** The store methods about filing, quarantine, and what screening knows. */
export { accountsAmong, importAccounts } from './accounts.ts'
export { fileSubmissions, readUnfiled } from './file-submissions.ts'
export { readGathered, recordGathered } from './gathered-notifications.ts'
export { countTextAddresses } from './message-texts.ts'
export { readForDigest } from './quarantine-choice.ts'
export { expireQuarantine } from './quarantine-expiry.ts'
export { countQuarantined, listQuarantine, readQuarantined } from './quarantined-submissions.ts'
export { listUnfiled, readUnfiledEntry } from './unfiled-submissions.ts'
