/** The store methods about the inbox, the board, saved views, and what is due. */
import { readBoard, readBoardCards } from './board.ts'
import { listDueLeads } from './due-leads.ts'
import { countInbox, listInbox } from './inbox.ts'
import { readInboxRows } from './rows.ts'
import { deleteView, listViews, renameView, saveView } from './saved-views.ts'

export const listsMethods = {
  countInbox,
  deleteView,
  listDueLeads,
  listInbox,
  listViews,
  readBoard,
  readBoardCards,
  readInboxRows,
  renameView,
  saveView,
}
