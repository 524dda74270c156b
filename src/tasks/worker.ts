/** The worker: everything that happens later, in its lanes. It has three verbs: start, nudge, stop. */
import type { Logger } from 'pino'
import type { Store } from '../store/store.ts'
import type { Clock } from '../time.ts'
import { Lane, type LaneWork } from './lane.ts'

export type Worker = {
  start(): void
  /** Something may be due now; looks for it at once instead of at the next poll. */
  nudge(): void
  /** Finishes what runs, within `patience` milliseconds, and gives the rest back. */
  stop(patience: number): Promise<void>
  /** Works off all that is due, by the clock, without being started: for tests and short commands. */
  drain(): Promise<void>
}

export function createWorker(
  works: LaneWork[],
  around: { store: Store; clock: Clock; log: Logger },
): Worker {
  const lanes = works.map(work => new Lane(work, around))
  return {
    start: () => lanes.forEach(lane => void lane.start()),
    nudge: () => lanes.forEach(lane => void lane.nudge()),
    stop: async patience => {
      await Promise.all(lanes.map(lane => lane.stop(patience)))
    },
    drain: async () => {
      for (let started = 1; started > 0; ) {
        const counts = await Promise.all(lanes.map(lane => lane.drain()))
        started = counts.reduce((sum, count) => sum + count, 0)
      }
    },
  }
}
