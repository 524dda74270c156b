/** The store methods about claiming and finishing tasks. */
import { keepIntervals } from './clock-set-back.ts'
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

export const tasksMethods = {
  claimTasks,
  finishTask,
  finishTasks,
  keepIntervals,
  listDueLanes,
  postponeTask,
  refile,
  releaseTasks,
  renewTasks,
}
