/** Where a follow-up goes on that somebody has let rest. */
import {
  type Cadence,
  type Clocks,
  dueAt,
  type PreviousStep,
  type Step,
  trackOf,
} from './cadence.ts'

/** A follow-up with the steps that have come up so far. */
type Resting = {
  cadence: Cadence
  since: number
  steps: readonly { step: number; state: string; finished_at: number | null }[]
}

/**
 * Where a follow-up that has rested since `pausedAt` goes on at the moment `now`: as if the time
 * between the two had not been. No step is due before `now`, nor while its clock is closed.
 */
export function resumption(
  { cadence, since, steps }: Resting,
  pausedAt: number,
  now: number,
  clocks: Clocks,
): { since: number; steps: { step: number; dueAt: number }[] } {
  // A clock that was set back makes no step come earlier.
  const start = since + Math.max(0, now - pausedAt)
  const lastBefore = (index: number): PreviousStep | undefined => {
    const last = steps.findLast(
      ({ step, finished_at }) =>
        step < index && finished_at !== null && sameTrack(cadence[step], cadence[index]),
    )
    if (last?.finished_at == null) return undefined
    const pause = Math.max(0, now - Math.max(pausedAt, last.finished_at))
    return { index: last.step, at: last.finished_at + pause }
  }
  const open = steps.filter(({ state }) => state === 'due')
  const moved = open.map(({ step }) => {
    const due = dueAt(cadence, step, { start, last: lastBefore(step) }, clocks)
    const clock = clocks[cadence[step]?.clock ?? 'school']
    return { step, dueAt: clock.open(Math.max(due, now)) }
  })
  return { since: start, steps: moved }
}

const sameTrack = (one: Step | undefined, other: Step | undefined): boolean =>
  one !== undefined && other !== undefined && trackOf(one) === trackOf(other)
