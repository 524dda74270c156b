/** The store methods about imported lists. */
export { checkImportRows, countKnownPeople, listKnownPeople } from './check.ts'
export { expireImports } from './expiry.ts'
export { fileImportRows } from './filing.ts'
export {
  addImport,
  addImportRows,
  checkImport,
  discardImport,
  endUpload,
  listImports,
  readImport,
  recallPlan,
  startImport,
  undoImport,
} from './imports.ts'
export { readImportRows, readPortion } from './rows.ts'
export { listsWithSameRows } from './rows-of-people.ts'
export { listKeptLeads, undoImportRows } from './undo.ts'
