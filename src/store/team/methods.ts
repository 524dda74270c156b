/** The store methods about absences, hand-overs, and how many leads each counselor has. */
export { addAbsence, listAbsences, removeAbsence } from './absences.ts'
export { finishHandOver, giveBackPortion, handOverPortion, readHandOverPortion } from './hand-over-portions.ts'
export {
  countHandedOver,
  listHandedOver,
  listHandOvers,
  readHandOver,
  startHandOver,
  undoHandOver,
} from './hand-overs.ts'
export { listOwners, readDuties, readWorkloads } from './workloads.ts'
