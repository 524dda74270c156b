/** The store methods about sources. */
export {
  addSource,
  changeSource,
  deleteSource,
  findSource,
  listSources,
  readSource,
  recordRejectedPost,
  replaceSourceKey,
  switchSource,
} from './sources.ts'
