/** The store methods about the sources that bring leads. */
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
