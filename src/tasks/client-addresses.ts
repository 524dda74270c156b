/** Deletes, in the background, the client addresses of submissions older than the settings say. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Settings } from '../config/settings.ts'
import { type Clock, DAY, HOUR } from '../platform/time.ts'
import type { Store } from '../store/store.ts'

/** How many submissions one transaction looks at, and the pause after each, in milliseconds. */
const AT_ONCE = 500
const PAUSE = 10

const EVERY = 1 * HOUR

type Dependencies = {
  store: Pick<Store, 'forgetClientAddresses' | 'backgroundDelay'>
  clock: Clock
  settings: Pick<Settings, 'privacy'>
}

/** Looks once an hour, until `signal` is aborted. */
export async function keepForgettingClientAddresses(
  deps: Dependencies & { log: Logger },
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    try {
      await forgetClientAddresses(deps, signal)
    } catch (error) {
      if (!signal.aborted) deps.log.warn({ err: error }, 'client addresses could not be deleted')
    }
    await wait(EVERY, signal)
  }
}

/** Deletes all that are too old, a portion at a time; stops between two of them when `signal` is aborted. */
export async function forgetClientAddresses(
  { store, clock, settings }: Dependencies,
  signal: AbortSignal,
): Promise<void> {
  const days = settings.privacy.clientAddressDays
  if (days === 0) return
  for (let more = true; more && !signal.aborted; ) {
    const now = clock.now()
    more = await store.forgetClientAddresses({ before: now - days * DAY, now, limit: AT_ONCE })
    if (more) await wait(PAUSE + store.backgroundDelay(), signal)
  }
}

const wait = (time: number, signal: AbortSignal) =>
  sleep(time, undefined, { signal, ref: false }).catch(() => {})
