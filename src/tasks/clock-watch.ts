/**
 * Notices that the clock jumps: it is compared with one that only counts. What the service was not there to see, such as
 * a clock that was wrong when it started, it does not notice.
 */
import { clockJump, type LateWork } from '../leads/words/late-work.ts'
import { type Clock, DAY } from '../platform/time.ts'

/** A jump that no other one took back is old news after this long, in milliseconds: the new time is the right one. */
const TOLD_FOR = DAY

/** `most`: by how much the clock may jump between two looks, in milliseconds. */
export function createClockWatch(clock: Clock, most: number) {
  const counted = () => clock.elapsed?.() ?? clock.now()
  let ahead = clock.now() - counted()
  /** How far the last jumps have moved the clock, and when the last one was noticed. */
  let jumped = { by: 0, at: Number.NEGATIVE_INFINITY }
  const isRecent = () => counted() - jumped.at < TOLD_FOR
  return {
    /** The jump since the last look; undefined if there is none, or if it took another one back. */
    look(): LateWork | undefined {
      const now = clock.now()
      const by = now - counted() - ahead
      ahead += by
      if (Math.abs(by) < most) return undefined
      const together = isRecent() ? jumped.by + by : by
      jumped = { by: Math.abs(together) < most ? 0 : together, at: counted() }
      return jumped.by === 0 ? undefined : clockJump(by, now)
    },

    /** Whether a jump of this moment is over. Perhaps this process did not notice it: it may run only since then. */
    isOver: (since: number): boolean => Math.abs(clock.now() - since) >= TOLD_FOR || (isRecent() && jumped.by === 0),
  }
}
