/** Returning the memory that the start used. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/**
 * Collects all garbage of this thread and returns its memory to the system. Loading a program leaves
 * about as much garbage as live data, and an idle service would keep it for hours. Takes tens of
 * milliseconds; call it once, after the start.
 */
export function collectGarbage(): void {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as (options: object) => void
  collect({ type: 'major', execution: 'sync', flavor: 'last-resort' })
}
