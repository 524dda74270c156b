/** Says in the log, at its highest level, that work is late: emails may be what is late, so no email can say it. */
import type { Logger } from 'pino'
import { lateWork } from '../leads/words/late-work.ts'
import { type Clock, HOUR, MINUTE } from '../platform/time.ts'
import type { Store } from '../store/store.ts'
import { keepLooking } from './lanes/in-portions.ts'

type WatchServices = { store: Pick<Store, 'countBacklog'>; clock: Clock; log: Logger }

/** How often it is said again, in milliseconds. */
const AGAIN_AFTER = HOUR

/** Returns a look at what is late. It speaks when something has been late at two looks in a row, and then once an hour. */
export function createLateWorkWatch({ store, clock, log }: WatchServices): () => Promise<void> {
  let wasLate = false
  let saidAt = Number.NEGATIVE_INFINITY
  return async () => {
    const now = clock.now()
    const late = lateWork(await store.countBacklog(now), now)
    // After a start, what has waited meanwhile is done within moments.
    if (late.length > 0 && wasLate && now - saidAt >= AGAIN_AFTER) {
      saidAt = now
      for (const { title, text } of late) log.fatal(`${title} ${text}`)
    }
    if (late.length === 0) saidAt = Number.NEGATIVE_INFINITY
    wasLate = late.length > 0
  }
}

/** Looks every minute, until `signal` is aborted. */
export const keepWatchingLateWork = (deps: WatchServices, signal: AbortSignal): Promise<void> =>
  keepLooking(createLateWorkWatch(deps), {
    every: MINUTE,
    log: deps.log,
    failed: 'whether work is late could not be read',
    signal,
  })
