/** The store methods about the inbox, the board, saved views, and what is due. */
export { readBoard, readBoardCards } from './board.ts'
export { listDueCallbacks, listDueLeads } from './due-leads.ts'
export { countInbox, listInbox } from './inbox.ts'
export { readInboxRows } from './inbox-rows.ts'
export { deleteView, listViews, renameView, saveView } from './saved-views.ts'
