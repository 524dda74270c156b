/**
 * Failures of our own database. They do not count as failures of the task that they interrupt: the task does not use up
 * an attempt, and continues as soon as the database is back. But if such a failure interrupts one task again and again
 * and not others, the task itself is the cause, and counts as failed like any other.
 */
import { StoreUnavailable } from '../../store/acceptance/store-unavailable.ts'
import type { Task } from '../../store/tasks/tasks.ts'
import { pauseFor } from './in-portions.ts'

/** How long a lane waits between two tries while the database is unavailable, in ms: at first, and at most. */
export const AWAY = { first: 500, longest: 4_000 }

/** Waits for `longest`, shortened at random by up to a half, so that lanes and processes do not return at once. */
export const forDatabase = (longest: number, signal: AbortSignal, wait = pauseFor): Promise<void> =>
  wait(longest * (0.5 + Math.random() / 2), signal)

/** How many times in a row the database may fail for one task before that counts as a failure of the task. */
const MOST_IN_A_ROW = 5

const NOTE = /^the database was away \(time (\d+) in a row\)$/

const timesOf = ({ note }: Pick<Task, 'note'>): number => Number(NOTE.exec(note ?? '')?.[1] ?? 0)

/**
 * Whether an error only says that our database is unavailable. If so, the lane's job rejects with it, and the lane
 * gives its tasks back.
 */
export const isOutage = (error: unknown, task: Pick<Task, 'note'>): boolean =>
  error instanceof StoreUnavailable && timesOf(task) < MOST_IN_A_ROW

/** The note of a task that is given back, with a count, since another process may claim the task next. */
export const outageNote = (task: Pick<Task, 'note'>): string =>
  `the database was away (time ${timesOf(task) + 1} in a row)`
