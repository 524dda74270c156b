/**
 * What to do if a message was sent but cannot be recorded. Otherwise, it would be sent again each time that its claim
 * ends. While the database is unavailable, recording is tried again; after that, the message ends as failed, so that
 * people see it, and the operator reads why.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { type Clock, SECOND } from '../../platform/time.ts'
import { StoreUnavailable } from '../../store/acceptance/store-unavailable.ts'
import type { Store } from '../../store/store.ts'
import type { Task } from '../../store/tasks/tasks.ts'
import { isOutage } from '../lanes/outage.ts'

const UNRECORDED = 'It was sent, but that could not be recorded; the log says why'

/** How long it waits between two tries while the database is away, in milliseconds: at first, at most, in all. */
const AWAY = { first: 100, longest: 4 * SECOND, together: 60 * SECOND }

/** Records that the message of a task was sent. Rejects only if the database stays away for a minute. */
export async function recordOrEnd(
  { store, clock, log }: { store: Pick<Store, 'finishTask'>; clock: Clock; log: Logger },
  task: Task,
  record: () => Promise<unknown>,
): Promise<void> {
  try {
    await onceThere(record)
  } catch (error) {
    if (isOutage(error, task)) throw error
    log.error({ err: error, task: task.id }, 'a sent message could not be recorded')
    await store.finishTask(task, { state: 'dead', note: UNRECORDED, now: clock.now() })
  }
}

async function onceThere(record: () => Promise<unknown>): Promise<void> {
  for (let pause = AWAY.first, waited = 0; ; pause = Math.min(2 * pause, AWAY.longest)) {
    try {
      await record()
      return
    } catch (error) {
      if (!(error instanceof StoreUnavailable) || waited >= AWAY.together) throw error
    }
    await sleep(pause, undefined, { ref: false })
    waited += pause
  }
}
