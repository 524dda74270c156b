/** The store methods about imported lists. */
import { checkImportRows } from './import-check.ts'
import { expireImports } from './import-expiry.ts'
import { fileImportRows } from './import-filing.ts'
import { readImportRows, readPortion } from './import-rows.ts'
import { listKeptLeads, undoImportRows } from './import-undo.ts'
import {
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
import { listsWithSameRows } from './rows-of-people.ts'

export const importMethods = {
  addImport,
  addImportRows,
  checkImport,
  checkImportRows,
  discardImport,
  endUpload,
  expireImports,
  fileImportRows,
  listImports,
  listKeptLeads,
  listsWithSameRows,
  readImport,
  readImportRows,
  readPortion,
  recallPlan,
  startImport,
  undoImport,
  undoImportRows,
}
