/** The store methods about lists of leads: the inbox, the board, saved views, what is due, and the words that leads are found by. */
import { readBoard, readBoardCards } from './board.ts'
import { listDueLeads } from './due-leads.ts'
import { countInbox, listInbox } from './inbox.ts'
import { readInboxRows } from './inbox-rows.ts'
import { addMissingWords, recheckWords } from './lead-words.ts'
import { listLeads } from './list-leads.ts'
import { deleteView, listViews, renameView, saveView } from './saved-views.ts'
import { listTried } from './tried-to-reach.ts'

export const listMethods = {
  addMissingWords,
  countInbox,
  deleteView,
  listDueLeads,
  listInbox,
  listLeads,
  listTried,
  listViews,
  readBoard,
  readBoardCards,
  readInboxRows,
  recheckWords,
  renameView,
  saveView,
}
