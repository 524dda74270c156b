/** Adds, in the background, the words of leads that are older than the search. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { SECOND } from '../platform/time.ts'
import type { Store } from '../store/store.ts'

/** How many leads get their words in one transaction, so that it stays short, and the pause after each, in milliseconds. */
const AT_ONCE = 50
const PAUSE = 10

/** More leads than processes of the version before could file during an upgrade. */
const NEWEST = 10_000

const RETRY_AFTER = 10 * SECOND

/** Resolves once every lead has its words, or when `signal` is aborted. Continues where it was interrupted. */
export async function addLeadWords(
  { store, log }: { store: Pick<Store, 'addMissingWords' | 'recheckWords' | 'backgroundDelay'>; log: Logger },
  signal: AbortSignal,
): Promise<void> {
  const wait = (time: number) => sleep(time, undefined, { signal, ref: false }).catch(() => {})
  let checked = false
  while (!signal.aborted) {
    try {
      if (!checked) await store.recheckWords(NEWEST)
      checked = true
      if (!(await store.addMissingWords(AT_ONCE))) return
      await wait(PAUSE + store.backgroundDelay())
    } catch (error) {
      if (signal.aborted) return
      log.warn({ err: error }, 'leads could not be indexed for the search; trying again')
      await wait(RETRY_AFTER)
    }
  }
}
