/** The store methods about what staff do with a lead. */
import { assignLead } from './assign-lead.ts'
import { withdrawConsent } from './consent.ts'
import { correctLead, listEmailsToPerson } from './corrections.ts'
import {
  addLabel,
  countLabeled,
  deleteTag,
  findLabel,
  listLabels,
  readLabels,
  removeLabel,
  renameTag,
} from './labels.ts'
import { pauseLead, resumeLead } from './pauses.ts'
import { listRecentActions } from './recent-actions.ts'
import { skipStep, takeBack } from './skip-and-take-back.ts'
import { addNote, changeStage, recordCallAttempt, requestFreshLink } from './staff-actions.ts'
import { readUndoable, undoAction } from './undoing.ts'

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
  listRecentActions,
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
