/** The follow-up's cadence: its steps, and when each of them is due. */
import type { StepClock } from './clocks.ts'
import { type Delay, delayBetween, parseDelay } from './delay.ts'

export type Recipient = 'counselor' | 'backup' | 'manager' | 'team' | 'student'

type Timing = {
  name: string
  /** How long after the start of the follow-up, such as `15 minutes` or `3 days`. */
  after: string
  /** Which clock counts that. */
  clock: 'school' | 'student'
}
export type MessageStep = Timing & { to: Recipient; channel: 'email'; message: string }
export type ClosingStep = Timing & { close: 'no reply' }
export type Step = MessageStep | ClosingStep

export type Cadence = readonly Step[]

/** What must not wait for each other: messages to the staff, letters to the student, and the end. */
export type Track = 'staff' | 'student' | 'end'

export const tracks: readonly Track[] = ['staff', 'student', 'end']

export function trackOf(step: Step): Track {
  if ('close' in step) return 'end'
  return step.to === 'student' ? 'student' : 'staff'
}

/** A step that is to be: its place in the cadence, and when. */
export type PlannedStep = { step: number; track: Track; dueAt: number }

export type Clocks = Record<'school' | 'student', StepClock>

/** The step of a track that was concluded last, and the moment at which it was. */
export type PreviousStep = { index: number; at: number }

/** How far a follow-up that began at the moment `start` has come, on each track. */
export type Progress = { start: number; last: Partial<Record<Track, PreviousStep>> }

export type FutureStep = { index: number; step: Step; dueAt: number }

/**
 * All that is still to come, in order of time, as it will be if every step is concluded when it is
 * due and nothing stops it.
 */
export function futureOf(cadence: Cadence, progress: Progress, clocks: Clocks): FutureStep[] {
  const future = tracks.flatMap(track => futureOfTrack(cadence, track, progress, clocks))
  return future.sort((one, other) => one.dueAt - other.dueAt || one.index - other.index)
}

function futureOfTrack(cadence: Cadence, track: Track, progress: Progress, clocks: Clocks) {
  const future: FutureStep[] = []
  let last = progress.last[track]
  for (;;) {
    const index = nextOnTrack(cadence, track, last?.index)
    if (index === undefined) return future
    const at = dueAt(cadence, index, { start: progress.start, last }, clocks)
    future.push({ index, step: stepAt(cadence, index), dueAt: at })
    last = { index, at }
  }
}

/** The first step of the track after the step `index`, or of all; undefined where there is none. */
export function nextOnTrack(
  cadence: Cadence,
  track: Track,
  index: number | undefined,
): number | undefined {
  const from = index === undefined ? 0 : index + 1
  const next = cadence.findIndex((step, i) => i >= from && trackOf(step) === track)
  return next === -1 ? undefined : next
}

/**
 * When the step `index` is due, by its own clock: at its planned moment, counted from `start`. But
 * what an outage has delayed must not come in a burst: from the moment at which the last step of its
 * track was concluded, it keeps the distance that the two have in the plan.
 *
 * Takes a cadence without problems. Throws a RangeError where there is no such step, and where the
 * clock never opens.
 */
export function dueAt(
  cadence: Cadence,
  index: number,
  { start, last }: { start: number; last?: PreviousStep | undefined },
  clocks: Clocks,
): number {
  const step = stepAt(cadence, index)
  const clock = clocks[step.clock]
  const planned = clock.after(start, delayOf(step))
  if (last === undefined) return planned
  const distance = delayBetween(delayOf(stepAt(cadence, last.index)), delayOf(step))
  return Math.max(planned, clock.after(last.at, distance))
}

function stepAt(cadence: Cadence, index: number): Step {
  const step = cadence[index]
  if (step === undefined) throw new RangeError(`The cadence has no step ${index}`)
  return step
}

function delayOf(step: Step): Delay {
  const delay = parseDelay(step.after)
  if (delay === undefined) throw new RangeError(`${JSON.stringify(step.after)} is not a delay`)
  return delay
}
