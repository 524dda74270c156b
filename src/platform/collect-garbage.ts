/** Returns the memory that was needed only for the start. */
import { executionAsyncResource } from 'node:async_hooks'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { SECOND } from './time.ts'

/** How long after the start to release the memory that only the start needed, in milliseconds. */
const DELAY = 1 * SECOND

/**
 * An object of `process.nextTick` that must survive the collection. Otherwise, V8 forgets the shape of these objects,
 * and from then on makes each of them in its slow way: 275 ns a tick in place of 45, and a request takes several.
 */
const kept: object[] = []
process.nextTick(() => kept.push(executionAsyncResource()))

/**
 * Collects all garbage of this thread and returns its memory to the system. Loading a program leaves
 * about as much garbage as live data, and an idle service would keep it for hours. Takes tens of
 * milliseconds; call it once, after the start.
 */
export function collectGarbage(): void {
  // The flag applies to the whole process, so it stays set: another thread may be about to use it.
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as (options: object) => void
  collect({ type: 'major', execution: 'sync', flavor: 'last-resort' })
}

/** Collects the garbage of the start after a second; while requests would wait for that, tries again every second. */
export function collectGarbageOnceIdle(isIdle: () => boolean, collect = collectGarbage): void {
  const look = () => (isIdle() ? collect() : later())
  const later = () => void setTimeout(look, DELAY).unref()
  later()
}
