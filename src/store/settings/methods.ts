/** The store methods about edited settings, and secrets. */
import { currentEditedSettings, listEditedSettings, saveEditedSettings } from './edited-settings.ts'
import { getOrCreateLinkSecret, getOrCreateSecret } from './secrets.ts'

export const settingsMethods = {
  currentEditedSettings,
  getOrCreateLinkSecret,
  getOrCreateSecret,
  listEditedSettings,
  saveEditedSettings,
}
