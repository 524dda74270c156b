/** The store methods about hand-overs and how many leads each counselor has. */
import {
  finishHandOver,
  giveBackPortion,
  handOverPortion,
  readHandOverPortion,
} from './hand-over-portions.ts'
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
  countHandedOver,
  countStages,
  finishHandOver,
  giveBackPortion,
  handOverPortion,
  listHandOvers,
  listHandedOver,
  listOwners,
  readHandOver,
  readHandOverPortion,
  readWorkloads,
  startHandOver,
  undoHandOver,
}
