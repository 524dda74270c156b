/** The store methods about the inbox, the board, saved views, and what is due. */
import { readBoard, readBoardCards } from './board.ts'
import { listDueLeads } from './due-leads.ts'
import { listInbox } from './inbox.ts'
import { readInboxRows } from './rows.ts'
import { deleteView, renameView, saveView } from './saved-views.ts'

export const listsMethods = {
  deleteView,
  listDueLeads,
  listInbox,
  readBoard,
  readBoardCards,
  readInboxRows,
  renameView,
  saveView,
}
