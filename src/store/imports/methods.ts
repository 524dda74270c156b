/** The store methods about imported lists. */
export { checkImportRows, countKnownPeople, listKnownPeople } from './check-rows.ts'
export { expireImports } from './expiry.ts'
export {
  addImport,
  addImportRows,
  checkImport,
  discardImport,
  endUpload,
  readImport,
  recallPlan,
  startImport,
  undoImport,
} from './imports.ts'
export { readImportsPage } from './imports-page.ts'
export { findListOfFile, recallStatusPlan } from './nightly-lists.ts'
export { listRejections, listUnknownWords, listUnreadValues, readImportRows, readPortion } from './portions.ts'
export { listsWithSameRows } from './rows-of-people.ts'
export { fileImportRows } from './rows-to-leads.ts'
export { checkStatusRows, moveStatusRows, undoStatusRows } from './status-rows.ts'
export { listKeptLeads, undoImportRows } from './undo-rows.ts'
