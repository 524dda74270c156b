/** Counts, in the background, the leads that have changed, for the console's insight. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Settings } from '../config/settings.ts'
import { SECOND } from '../platform/time.ts'
import type { Store } from '../store/store.ts'

/**
 * How many leads are counted in one transaction. Counting many changes each count once for all of them; where other
 * transactions wait for this one, it must stay short.
 */
const AT_ONCE = 200
const AT_ONCE_BEFORE_OTHERS = 25

/** The pause after each transaction, in milliseconds. */
const PAUSE = 10

/** How soon after a change of a lead it is counted, in milliseconds. */
const EVERY = 2 * SECOND

const RETRY_AFTER = 10 * SECOND

/** Runs until `signal` is aborted. Gives way to submissions. */
export async function keepCountingLeads(
  {
    store,
    settings,
    log,
  }: {
    store: Pick<Store, 'countLeads' | 'backgroundDelay' | 'oneWriter'>
    settings: Pick<Settings, 'school'>
    log: Logger
  },
  signal: AbortSignal,
): Promise<void> {
  const wait = (time: number) => sleep(time, undefined, { signal, ref: false }).catch(() => {})
  const limit = store.oneWriter ? AT_ONCE_BEFORE_OTHERS : AT_ONCE
  while (!signal.aborted) {
    try {
      const more = await store.countLeads({ school: settings.school, limit })
      await wait(more ? PAUSE + store.backgroundDelay() : EVERY)
    } catch (error) {
      if (signal.aborted) return
      log.warn({ err: error }, 'leads could not be counted for insight; trying again')
      await wait(RETRY_AFTER)
    }
  }
}
