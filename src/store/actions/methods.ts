/** The store methods about what staff do with a lead. */
import { assignLead } from './assign-lead.ts'
import { changeStage } from './change-stage.ts'
import { correctLead, listEmailsToPerson } from './correct-lead.ts'
import {
  addLabel,
  countLabeled,
  deleteTag,
  findLabel,
  listLabels,
  readLabels,
  removeLabel,
  renameTag,
} from './lead-labels.ts'
import { addNote, recordCallAttempt, requestFreshLink } from './notes-and-attempts.ts'
import { pauseLead, resumeLead } from './pause-and-resume.ts'
import { skipStep, takeBack } from './skip-and-take-back.ts'
import { readUndoable, undoAction } from './undo-action.ts'
import { withdrawConsent } from './withdraw-consent.ts'

export const actionsMethods = {
  addLabel,
  addNote,
  assignLead,
  changeStage,
  correctLead,
  countLabeled,
  deleteTag,
  findLabel,
  listEmailsToPerson,
  listLabels,
  pauseLead,
  readLabels,
  readUndoable,
  recordCallAttempt,
  removeLabel,
  renameTag,
  requestFreshLink,
  resumeLead,
  skipStep,
  takeBack,
  undoAction,
  withdrawConsent,
}
