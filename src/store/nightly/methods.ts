/** The store methods about what is written into files every night. */
export {
  addNightlyExport,
  deleteNightlyExport,
  listNightlyExports,
  readNightlyExport,
  recordExport,
  recordFailedExport,
  writeExportNow,
} from './nightly-exports.ts'
