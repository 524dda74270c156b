/** The store methods about what managers edit in the console. */
export { currentEditedSettings, listEditedSettings, saveEditedSettings } from './edited-settings.ts'
export { readSchoolFile } from './school-files.ts'
