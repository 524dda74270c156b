/** What happens to the follow-ups of two leads that are merged. */
import { type Cadence, stepsOn, type Track, tracks } from './cadence.ts'
import type { PastStep } from './schedule.ts'

/** A follow-up: its cadence, the id of the cadence's version, and the steps that have come up so far. */
export type SteppedFollowUp = { cadence: Cadence; cadenceId: number; steps: readonly PastStep[] }

/**
 * The tracks that the kept lead takes over from an open lead that is merged into it. It takes over a track if the other
 * lead has a future step on it and the kept lead has never had one. So someone who wrote in gets what they were
 * promised, even if the kept lead was imported or entered by hand. Positions of steps are only valid in one version of
 * a cadence, so a lead that began with another version does not take over anything.
 */
export function tracksTaken(kept: SteppedFollowUp | undefined, other: SteppedFollowUp | undefined): Track[] {
  if (other === undefined) return []
  if (kept !== undefined && kept.cadenceId !== other.cadenceId) return []
  return tracks.filter(track => onTrack(other, track, openSteps(other)) && !onTrack(other, track, kept?.steps ?? []))
}

/** The steps of a follow-up that are still to come. */
export const openSteps = <S extends PastStep>({ steps }: { steps: readonly S[] }): S[] =>
  steps.filter(({ state }) => state === 'due')

const onTrack = ({ cadence }: SteppedFollowUp, track: Track, steps: readonly PastStep[]): boolean =>
  steps.some(({ step }) => stepsOn(cadence, track).includes(step))
