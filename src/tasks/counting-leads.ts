/** Counts, in the background, the leads that have changed, for the console's insight. */
import type { Logger } from 'pino'
import type { Settings } from '../config/settings.ts'
import { SECOND } from '../platform/time.ts'
import type { Store } from '../store/store.ts'
import { inPortions, keepLooking } from './lanes/in-portions.ts'

/**
 * How many leads one transaction counts. Counting many together changes each row of counts only once; but other
 * transactions may wait for this one, so it must stay short.
 */
const AT_ONCE = 200
const AT_ONCE_BEFORE_OTHERS = 25

/** The pause after each transaction, in milliseconds. */
const PAUSE = 10

/** Leads that have changed are counted this often, in milliseconds. */
const EVERY = 2 * SECOND

const RETRY_AFTER = 10 * SECOND

/** Runs until `signal` is aborted. */
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
  const limit = store.oneWriter ? AT_ONCE_BEFORE_OTHERS : AT_ONCE
  const countAll = () =>
    inPortions(() => store.countLeads({ school: settings.school, limit }), { store, pause: PAUSE, signal })
  const failed = 'leads could not be counted for insight; trying again'
  await keepLooking(countAll, { every: EVERY, retryAfter: RETRY_AFTER, log, failed, signal })
}
