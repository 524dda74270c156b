/** The store methods about claiming and finishing tasks. */
export { keepIntervals } from './clock-set-back.ts'
export {
  claimTasks,
  finishTask,
  finishTasks,
  listDueLanes,
  postponeTask,
  refile,
  releaseTasks,
  renewTasks,
} from './tasks.ts'
