/** The store methods about edited settings, and secrets. */
export { currentEditedSettings, listEditedSettings, saveEditedSettings } from './edited-settings.ts'
export { getOrCreateLinkSecret, getOrCreateSecret } from './secrets.ts'
