/** The store methods about what the console edits of the settings, absences, and secrets. */
import { addAbsence, listAbsences, removeAbsence } from './absences.ts'
import { currentEditedSettings, listEditedSettings, saveEditedSettings } from './edited-settings.ts'
import { getOrCreateLinkSecret, getOrCreateSecret } from './secrets.ts'

export const settingsMethods = {
  addAbsence,
  currentEditedSettings,
  getOrCreateLinkSecret,
  getOrCreateSecret,
  listAbsences,
  listEditedSettings,
  removeAbsence,
  saveEditedSettings,
}
