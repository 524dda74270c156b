/** The store methods about cadences, their steps, and addresses that get no follow-up emails. */
export { getOrCreateCadence, listFollowedCadences } from './cadence-versions.ts'
export { beginStep, closeUnanswered, concludeStep } from './claimed-steps.ts'
export { openStep, readFollowUp, readReminded } from './steps.ts'
export { readSuppression, suppressedAmong } from './suppressions.ts'
export { addUnattendedMail, readUnattended } from './unattended-leads.ts'
