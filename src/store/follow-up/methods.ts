/** The store methods about cadences, their steps, and addresses that get no follow-up emails. */
import { getOrCreateCadence, listFollowedCadences } from './cadence-versions.ts'
import { beginStep, closeUnanswered, concludeStep } from './claimed-steps.ts'
import { openStep, readFollowUp } from './steps.ts'
import { readSuppression, suppress, unsuppress, unsuppressBounced } from './suppressions.ts'
import { addUnattendedMail, readUnattended } from './unattended.ts'

export const followUpMethods = {
  addUnattendedMail,
  beginStep,
  closeUnanswered,
  concludeStep,
  getOrCreateCadence,
  listFollowedCadences,
  openStep,
  readFollowUp,
  readSuppression,
  readUnattended,
  suppress,
  unsuppress,
  unsuppressBounced,
}
