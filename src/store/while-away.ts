/** The start waits for a database that is unavailable, on either engine. */
import { setTimeout as sleep } from 'node:timers/promises'
import { StoreUnavailable } from './acceptance/store-unavailable.ts'
import type { OpenOptions } from './store.ts'

const INTERVAL = 1000

/** What an engine knows about its errors: whether they may pass by themselves, and what they say in plain words. */
type Failures = { mayPass: (error: unknown) => boolean; reasonOf: (error: unknown) => string }

/**
 * Does `work`, and repeats it once a second if it fails for a reason that may pass, for as long as the timeout allows.
 * Throws with a plain reason.
 */
export async function retryWhileAway<T>(
  { timeout = 0, onWaiting = () => {} }: OpenOptions,
  { mayPass, reasonOf }: Failures,
  work: () => Promise<T>,
): Promise<T> {
  const end = performance.now() + timeout
  for (;;) {
    try {
      return await work()
    } catch (thrown) {
      const error = thrown instanceof StoreUnavailable ? (thrown.cause ?? thrown) : thrown
      const reason = reasonOf(error)
      if (!mayPass(error) || performance.now() >= end) throw new Error(reason, { cause: error })
      onWaiting(reason)
    }
    await sleep(INTERVAL)
  }
}
