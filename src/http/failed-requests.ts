/**
 * Requests that the service answered with 500: a defect in the program, or something that it cannot use, such as a
 * file. Someone who finds that a form fails may not come back, so the admins are notified.
 */
import type { Logger } from 'pino'
import { FAILED_OVER_AFTER, failedRequests } from '../leads/words/failed-requests.ts'
import { type Clock, MINUTE } from '../platform/time.ts'
import type { Store } from '../store/store.ts'

export type FailedRequests = {
  /** Records that a request failed now. Never throws. */
  note(): void
  /** A sentence for the operator if a request failed here within the last hour. */
  warning(): string | undefined
}

type FailureServices = {
  store: Pick<Store, 'raiseAlarm'>
  clock: Clock
  log: Logger
  /** Called when emails may have been added. */
  changed: () => void
}

/** While requests fail again and again, the database is updated this often, in milliseconds. */
const AGAIN_AFTER = MINUTE

export function createFailedRequests({ store, clock, log, changed }: FailureServices): FailedRequests {
  let last = Number.NEGATIVE_INFINITY
  let told = Number.NEGATIVE_INFINITY
  const tell = async (now: number) => {
    if (await store.raiseAlarm({ ...failedRequests, since: now }, now)) changed()
  }
  return {
    note: () => {
      last = clock.now()
      // A clock that was set back must not suppress the alarm.
      if (Math.abs(last - told) < AGAIN_AFTER) return
      told = last
      tell(last).catch(error => log.error({ err: error }, 'the admins could not be told that a request failed'))
    },
    warning: () => {
      const { title, text } = failedRequests
      return Math.abs(clock.now() - last) < FAILED_OVER_AFTER ? `${title} ${text}` : undefined
    },
  }
}
