/** Tracks that begin again, because somebody waits for an answer as on the first day. */
import {
  type Cadence,
  type Clocks,
  dueAt,
  type PlannedStep,
  type Track,
  trackOf,
} from './cadence.ts'

/** All steps that there are of a track, and the first with its new moment. */
export type Restart = { steps: readonly number[]; first: PlannedStep }

/** How a track begins again at the moment `now`; undefined where it has no steps. */
export function restartOf(
  cadence: Cadence,
  track: Track,
  now: number,
  clocks: Clocks,
): Restart | undefined {
  const steps = stepsOn(cadence, track)
  const [step] = steps
  if (step === undefined) return undefined
  return { steps, first: { step, track, dueAt: dueAt(cadence, step, { start: now }, clocks) } }
}

/** The places of a track's steps in the cadence. */
export const stepsOn = (cadence: Cadence, track: Track): number[] =>
  cadence.flatMap((step, index) => (trackOf(step) === track ? index : []))
