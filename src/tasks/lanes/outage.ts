/**
 * Failures of our own database. They are not failures of the task that met them: it uses up no attempt, and continues
 * as soon as the database is back. But a task that meets one again and again while others do not is itself the cause,
 * and then counts as any other that fails.
 */
import { StoreUnavailable } from '../../store/acceptance/store-unavailable.ts'
import type { Task } from '../../store/tasks/tasks.ts'

/** How often in a row the database may fail for one task before that counts as a failure of the task. */
const MOST_IN_A_ROW = 5

const NOTE = /^the database was away \(time (\d+) in a row\)$/

const timesOf = ({ note }: Pick<Task, 'note'>): number => Number(NOTE.exec(note ?? '')?.[1] ?? 0)

/**
 * Whether an error only says that our database is away. The job of a lane then rejects with it, and the lane gives its
 * tasks back.
 */
export const isOutage = (error: unknown, task: Pick<Task, 'note'>): boolean =>
  error instanceof StoreUnavailable && timesOf(task) < MOST_IN_A_ROW

/** The note of a task that is given back. It counts, since the next one to claim it may be another process. */
export const outageNote = (task: Pick<Task, 'note'>): string =>
  `the database was away (time ${timesOf(task) + 1} in a row)`
