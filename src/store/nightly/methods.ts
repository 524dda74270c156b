/** The store methods about nightly exports. */
export {
  addNightlyExport,
  deleteNightlyExport,
  listNightlyExports,
  readNightlyExport,
  recordExport,
  recordFailedExport,
  writeExportNow,
} from './nightly-exports.ts'
