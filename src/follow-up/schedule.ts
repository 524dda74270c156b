/** The schedule of a follow-up: when each step of its cadence is due, and how a restart or a pause shifts it. */
import {
  type Cadence,
  delayBetween,
  delayOf,
  nextOnTrack,
  type Step,
  stepAt,
  stepsOn,
  type Track,
  trackOf,
  tracks,
} from './cadence.ts'
import type { StepHours } from './opening-hours.ts'

/** A step that is still to come: its position in the cadence, and when it is due. */
export type PlannedStep = { step: number; track: Track; dueAt: number }

/** The step of a track that was concluded last, and when that was. */
export type PreviousStep = { index: number; at: number }

/**
 * When the step `index` is due by its own hours: at its planned moment, counted from `start`. But steps that an outage
 * has delayed must not come in a burst: each keeps its planned distance from the last step of its track, counted from
 * when that step was concluded.
 *
 * Expects a cadence without problems. Throws a RangeError if there is no such step, or if the hours never open.
 */
export function dueAt(
  cadence: Cadence,
  index: number,
  { start, last }: { start: number; last?: PreviousStep | undefined },
  hours: StepHours,
): number {
  const step = stepAt(cadence, index)
  const { after } = hours[step.clock]
  const planned = after(start, delayOf(step))
  if (last === undefined) return planned
  const distance = delayBetween(delayOf(stepAt(cadence, last.index)), delayOf(step))
  return Math.max(planned, after(last.at, distance))
}

/** How far a follow-up that began at the moment `start` has come, on each track. */
export type Progress = { start: number; last: Partial<Record<Track, PreviousStep>> }

export type FutureStep = { index: number; step: Step; dueAt: number }

/** All steps still to come, in order of time, if each is concluded when it is due and nothing stops it. */
export function futureOf(cadence: Cadence, progress: Progress, hours: StepHours): FutureStep[] {
  const future = tracks.flatMap(track => futureOfTrack(cadence, track, progress, hours))
  return future.sort((one, other) => one.dueAt - other.dueAt || one.index - other.index)
}

function futureOfTrack(cadence: Cadence, track: Track, progress: Progress, hours: StepHours) {
  const future: FutureStep[] = []
  let last = progress.last[track]
  for (;;) {
    const index = nextOnTrack(cadence, track, last?.index)
    if (index === undefined) return future
    const at = dueAt(cadence, index, { start: progress.start, last }, hours)
    future.push({ index, step: stepAt(cadence, index), dueAt: at })
    last = { index, at }
  }
}

/**
 * A track that starts over: the positions of all its steps, and the first one with its new time. `underWay`: the steps
 * that notify a particular person, or close the lead. While one of these is open, the track continues instead.
 */
export type Restart = { steps: readonly number[]; underWay: readonly number[]; first: PlannedStep }

/** How a track starts over at `now`, because someone waits for a reply as on the first day; undefined without steps. */
export const restartOf = (cadence: Cadence, track: Track, now: number, hours: StepHours): Restart | undefined =>
  restartAt(cadence, track, step => dueAt(cadence, step, { start: now }, hours))

/** The same with a different time for the first step. */
export function restartAt(cadence: Cadence, track: Track, dueAtOf: (step: number) => number): Restart | undefined {
  const steps = stepsOn(cadence, track)
  const [step] = steps
  if (step === undefined) return undefined
  const underWay = steps.filter(one => !('channel' in stepAt(cadence, one)))
  return { steps, underWay, first: { step, track, dueAt: dueAtOf(step) } }
}

/** The reminders and the automatic close of a cadence, starting over at the time `now`. */
export const restartsFor = (cadence: Cadence, now: number, hours: StepHours): Restart[] =>
  (['staff', 'end'] as const).flatMap(track => restartOf(cadence, track, now, hours) ?? [])

/** A follow-up that began at the moment `since`, with the steps that have come up so far. */
export type StartedFollowUp = { cadence: Cadence; since: number; steps: readonly PastStep[] }

/** A step that has come up: its position in the cadence; `due` while it is not concluded. */
export type PastStep = { step: number; state: 'due' | 'done' | 'dead' | 'skipped'; finishedAt: number | null }

/**
 * The earliest moment at which the step `index`, which closes the lead, may be done; undefined while
 * another step is still open. After an outage, the staff first get the messages that are late, and a
 * student whose email was late has as long to reply as the plan gives.
 */
export function closingMoment(
  { cadence, since, steps }: StartedFollowUp,
  index: number,
  hours: StepHours,
): number | undefined {
  const others = steps.filter(({ step }) => {
    const other = cadence[step]
    return other !== undefined && trackOf(other) !== 'end'
  })
  if (others.some(({ state }) => state === 'due')) return undefined
  const moments = others.flatMap(({ step, state, finishedAt }) =>
    state !== 'done' || finishedAt === null
      ? []
      : dueAt(cadence, index, { start: since, last: { index: step, at: finishedAt } }, hours),
  )
  return Math.max(dueAt(cadence, index, { start: since }, hours), ...moments)
}

/**
 * How a follow-up that has been paused since `pausedAt` continues at the moment `now`: as if the time in between had
 * not passed. No step is due before `now`, or while its hours are closed.
 */
export function resumption(
  { cadence, since, steps }: StartedFollowUp,
  pausedAt: number,
  now: number,
  hours: StepHours,
): { since: number; steps: { step: number; dueAt: number }[] } {
  // Even if the clock was set back, no step may come earlier.
  const start = since + Math.max(0, now - pausedAt)
  const lastBefore = (index: number): PreviousStep | undefined => {
    const last = steps.findLast(
      ({ step, finishedAt }) => step < index && finishedAt !== null && sameTrack(cadence[step], cadence[index]),
    )
    if (last?.finishedAt == null) return undefined
    const pause = Math.max(0, now - Math.max(pausedAt, last.finishedAt))
    return { index: last.step, at: last.finishedAt + pause }
  }
  const open = steps.filter(({ state }) => state === 'due')
  const shifted = open.map(({ step }) => {
    const due = dueAt(cadence, step, { start, last: lastBefore(step) }, hours)
    const { open } = hours[stepAt(cadence, step).clock]
    return { step, dueAt: open(Math.max(due, now)) }
  })
  return { since: start, steps: shifted }
}

/**
 * The step after the one at `index` on its track, which is sent or skipped now; undefined after the last. It keeps its
 * distance from the last step that was really sent.
 */
export function nextStep(
  { cadence, since, steps }: StartedFollowUp,
  index: number,
  { sent, now, hours }: { sent: boolean; now: number; hours: StepHours },
): PlannedStep | undefined {
  const track = trackOf(stepAt(cadence, index))
  const next = nextOnTrack(cadence, track, index)
  if (next === undefined) return undefined
  const before = steps.findLast(one => one.state === 'done' && trackOf(stepAt(cadence, one.step)) === track)
  const last = sent ? { index, at: now } : before && { index: before.step, at: before.finishedAt ?? now }
  return { step: next, track, dueAt: dueAt(cadence, next, { start: since, last }, hours) }
}

const sameTrack = (one: Step | undefined, other: Step | undefined): boolean =>
  one !== undefined && other !== undefined && trackOf(one) === trackOf(other)
