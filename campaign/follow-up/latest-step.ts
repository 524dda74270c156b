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
  /** The key of its task. */
  key: string
  /** Whether the replicas may have looked for work in this step before it was due. */
  missedIn?: (tick: number) => boolean
}

/**
 * The last step in which it must come: each attempt that may have failed until then, also between, makes it wait for
 * another one. Undefined if the month ended before.
 */
export function latestStep(
  { time, post }: Pick<World, 'time' | 'post'>,
  { from, due, mayCome = () => true, key, missedIn = () => false }: Due,
): number | undefined {
  const fromStep = (tick: number) =>
    time.tickWhere(tick, elapsed => {
      const shown = time.shownAfter(elapsed)
      return shown >= due && mayCome(shown)
    })
  /** The step until which it may wait if it was to be sent in this one. */
  const waitsUntil = (tick: number): number => {
    const killed = post.killedIn.has(tick) ? tick + HELD_UP : tick
    const missed = missedIn(tick) ? tick + 1 : tick
    if (!post.mayHaveDeferred(tick, key)) return Math.max(killed, missed)
    const well = Math.max(time.elapsedIn(tick), post.endOfOutage(tick) ?? 0)
    const triedAgain = time.tickWhere(tick, elapsed => elapsed >= well + TRIED_AGAIN) ?? Number.POSITIVE_INFINITY
    return Math.max(killed, missed, triedAgain)
  }
  let last = fromStep(from)
  for (let tick = last; tick !== undefined && last !== undefined && tick <= last; tick++) {
    last = fromStep(Math.max(last, waitsUntil(tick)))
  }
  return last
}
