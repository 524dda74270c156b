/** The step of time in which something must have been sent, whatever the mail server and the kills did. */
import { HOUR } from '../../src/platform/time.ts'
import type { World } from './world.ts'

/** A message that is temporarily rejected is tried again within four hours, and when time goes on. */
const TRIED_AGAIN = 5 * HOUR

/** How many steps a claim of a replica that was killed may hold a message up. */
const HELD_UP = 2

type Due = {
  /** The first step in which the replicas knew of it. */
  from: number
  /** The time on the clocks from which on it is due. */
  due: number
  /** Whether it may be sent at a time on the clocks. */
  mayCome?: (shown: number) => boolean
  /** The key of its task, and the addresses that it may go to. */
  key: string
  addresses: readonly string[]
  /** The steps in which the replicas may have looked for work before it was due again. */
  missedIn?: readonly number[]
}

/** The last step in which it must come. Undefined if the month ended before. */
export function latestStep(
  { time, post }: Pick<World, 'time' | 'post'>,
  { from, due, mayCome = () => true, key, addresses, missedIn = [] }: Due,
): number | undefined {
  const isDue = (elapsed: number) => {
    const shown = time.shownAfter(elapsed)
    return shown >= due && mayCome(shown)
  }
  let tick: number | undefined = from
  for (;;) {
    tick = time.tickWhere(tick, isDue)
    if (tick === undefined) return undefined
    const begun = time.elapsedIn(tick)
    if (post.killedIn.has(tick)) tick += HELD_UP
    else if (missedIn.includes(tick)) tick++
    else if (post.mayHaveDeferred(tick, key, addresses)) {
      const well = Math.max(begun, post.endOfOutage(tick) ?? 0)
      tick = time.tickWhere(tick, elapsed => elapsed >= well + TRIED_AGAIN)
    } else return tick
    if (tick === undefined) return undefined
  }
}
