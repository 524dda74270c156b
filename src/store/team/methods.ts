/** The store methods about absences, hand-overs, and how many leads each counselor has. */
import { addAbsence, listAbsences, removeAbsence } from './absences.ts'
import { finishHandOver, giveBackPortion, handOverPortion, readHandOverPortion } from './hand-over-portions.ts'
import {
  countHandedOver,
  listHandedOver,
  listHandOvers,
  readHandOver,
  startHandOver,
  undoHandOver,
} from './hand-overs.ts'
import { listOwners } from './owners.ts'
import { countStages, readWorkloads } from './workloads.ts'

export const teamMethods = {
  addAbsence,
  countHandedOver,
  countStages,
  finishHandOver,
  giveBackPortion,
  handOverPortion,
  listAbsences,
  listHandOvers,
  listHandedOver,
  listOwners,
  readHandOver,
  readHandOverPortion,
  readWorkloads,
  removeAbsence,
  startHandOver,
  undoHandOver,
}
