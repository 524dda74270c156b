/** The store methods about imported lists. */
import { checkImportRows, countKnownPeople, listKnownPeople } from './check.ts'
import { expireImports } from './expiry.ts'
import { fileImportRows } from './filing.ts'
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
import { readImportRows, readPortion } from './rows.ts'
import { listsWithSameRows } from './rows-of-people.ts'
import { listKeptLeads, undoImportRows } from './undo.ts'

export const importsMethods = {
  addImport,
  addImportRows,
  checkImport,
  checkImportRows,
  countKnownPeople,
  discardImport,
  endUpload,
  expireImports,
  fileImportRows,
  listImports,
  listKeptLeads,
  listKnownPeople,
  listsWithSameRows,
  readImport,
  readImportRows,
  readPortion,
  recallPlan,
  startImport,
  undoImport,
  undoImportRows,
}
