/** The store methods about claiming, finishing and deleting tasks. */
export { keepIntervals } from './clock-set-back.ts'
export { expireTasks } from './expiry.ts'
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
export { trustsClock } from './trusted-clock.ts'
