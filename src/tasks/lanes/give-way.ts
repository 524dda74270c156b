/** Gives priority to submissions: in a rush, people wait for responses, and the work that follows can wait. */
import { setTimeout as sleep } from 'node:timers/promises'
import { LIGHT } from '../../store/acceptance/batcher.ts'
import type { Store } from '../../store/store.ts'

/** How often we look whether a rush is over, in milliseconds. */
const LOOK_EVERY = 100

export const isRush = (store: Pick<Store, 'backgroundDelay'>): boolean => store.backgroundDelay() > LIGHT

/**
 * Pauses as long as `backgroundDelay` says, or until the rush is over. So the work continues after at most two seconds,
 * however long a rush lasts. Returns whether there was a rush.
 */
export async function giveWay(store: Pick<Store, 'backgroundDelay'>, signal?: AbortSignal): Promise<boolean> {
  const delay = store.backgroundDelay()
  for (let left = delay; left > 0 && !signal?.aborted; left = Math.min(left - LOOK_EVERY, store.backgroundDelay()))
    await sleep(Math.min(left, LOOK_EVERY), undefined, { ref: false })
  return delay > LIGHT
}
