/**
 * Work in the background, portion by portion. Each portion is a transaction of its own, and the database knows where
 * the next one begins: a process may die between two of them, and any other continues.
 *
 * Two processes may do the same work at the same time: in its transaction, a portion takes what is still there, or
 * checks that it is still the next one. Only an import also has a claim, as a task: reading its rows is costly, so one
 * process does it, and a list that fails is tried again after longer and longer waits, like other tasks.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { StoreUnavailable } from '../../store/acceptance/store-unavailable.ts'
import type { Store } from '../../store/store.ts'
import { giveWay } from './give-way.ts'

/** Does one portion after the other, until `next` returns false or `signal` is aborted. Gives way to submissions. */
export async function inPortions(
  next: () => Promise<boolean>,
  {
    store,
    pause = 0,
    signal,
  }: {
    store: Pick<Store, 'backgroundDelay'>
    /** The pause between two portions, in milliseconds, so that others can use the database. */
    pause?: number
    signal?: AbortSignal | undefined
  },
): Promise<void> {
  for (;;) {
    await giveWay(store, signal)
    if (signal?.aborted || !(await next())) return
    if (pause > 0) await pauseFor(pause, signal)
  }
}

type Attempt = {
  log: Pick<Logger, 'warn'>
  /** What the log says about an error. */
  failed: string
  signal?: AbortSignal | undefined
}

/**
 * Never rejects: returns whether `work` was done. Logs errors, except an error that comes from stopping. While the
 * database is unavailable, the same error comes again and again, and its stack would not help.
 */
export async function attempt(work: () => Promise<unknown>, { log, failed, signal }: Attempt): Promise<boolean> {
  try {
    await work()
    return true
  } catch (error) {
    const about = error instanceof StoreUnavailable ? { reason: error.message } : { err: error }
    if (!signal?.aborted) log.warn(about, failed)
    return false
  }
}

/** Resolves after this many milliseconds, or when `signal` is aborted. */
export type Wait = (time: number, signal?: AbortSignal) => Promise<void>

export const pauseFor: Wait = (time, signal) => sleep(time, undefined, { signal, ref: false }).catch(() => {})

/**
 * Looks for work immediately, then every `every` milliseconds (`retryAfter` after an error), until `signal` is aborted.
 */
export async function keepLooking(
  look: () => Promise<unknown>,
  {
    every,
    retryAfter = every,
    signal,
    wait = pauseFor,
    ...how
  }: Attempt & { every: number; retryAfter?: number; signal: AbortSignal; wait?: Wait | undefined },
): Promise<void> {
  while (!signal.aborted) {
    const done = await attempt(look, { ...how, signal })
    await wait(done ? every : retryAfter, signal)
  }
}
