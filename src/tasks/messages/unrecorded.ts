/**
 * A message that was sent, where recording that fails: it would be sent again each time that its claim ends. It ends as
 * failed instead, so that people see it, and the operator reads why.
 */
import type { Logger } from 'pino'
import type { Clock } from '../../platform/time.ts'
import type { Store } from '../../store/store.ts'
import type { Task } from '../../store/tasks/tasks.ts'
import { isOutage } from '../lanes/outage.ts'

const UNRECORDED = 'It was sent, but that could not be recorded; the log says why'

/** Records that the message of a task was sent. Rejects only while the database is away. */
export async function recordOrEnd(
  { store, clock, log }: { store: Pick<Store, 'finishTask'>; clock: Clock; log: Logger },
  task: Task,
  record: () => Promise<unknown>,
): Promise<void> {
  try {
    await record()
  } catch (error) {
    if (isOutage(error, task)) throw error
    log.error({ err: error, task: task.id }, 'a sent message could not be recorded')
    await store.finishTask(task, { state: 'dead', note: UNRECORDED, now: clock.now() })
  }
}
