/** The store methods about what staff do with a lead, or with a quarantined submission. */

export { assignLead } from './assign-lead.ts'
export { endCallback, planCallback } from './callbacks.ts'
export { changeStage } from './change-stage.ts'
export { correctLead, listEmailsToPerson } from './correct-lead.ts'
export { dismissQuarantined, releaseQuarantined, undoDismissal, undoRelease } from './decide-quarantined.ts'
export {
  addLabel,
  countLabeled,
  deleteTag,
  findLabel,
  listLabels,
  readLabels,
  removeLabel,
  renameTag,
} from './lead-labels.ts'
export { needNoAnswer } from './no-answer-needed.ts'
export { addNote, requestFreshLink } from './notes-and-fresh-links.ts'
export { pauseLead, resumeLead } from './pause-and-resume.ts'
export { recordCall } from './record-call.ts'
export { acknowledgeMail, acknowledgeUnsent, retryMail } from './repair-mail.ts'
export { skipStep, takeBack } from './skip-and-take-back.ts'
export { suppressByHand, unsuppress, unsuppressBounced } from './suppress-by-hand.ts'
export { readUndoable, undoAction } from './undo-action.ts'
export { dismissUnfiled, fileAgain } from './unfiled.ts'
export { withdrawConsent } from './withdraw-consent.ts'
