/** The store methods about tasks and the steps of cadences. */
import { countBacklog } from './backlog.ts'
import { getOrCreateCadence, listFollowedCadences } from './cadence-versions.ts'
import { beginStep, closeUnanswered, concludeStep } from './claimed-steps.ts'
import { keepIntervals } from './clock-set-back.ts'
import { openStep, readFollowUp } from './steps.ts'
import {
  claimTasks,
  finishTask,
  finishTasks,
  listDueLanes,
  postponeTask,
  refile,
  releaseTasks,
  renewTasks,
} from './tasks.ts'

export const taskMethods = {
  beginStep,
  claimTasks,
  closeUnanswered,
  concludeStep,
  countBacklog,
  finishTask,
  finishTasks,
  getOrCreateCadence,
  keepIntervals,
  listDueLanes,
  listFollowedCadences,
  openStep,
  postponeTask,
  readFollowUp,
  refile,
  releaseTasks,
  renewTasks,
}
