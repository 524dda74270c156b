/** When the end of a cadence may come: not before all else in it has had its time. */
import { type Cadence, type Clocks, dueAt, trackOf } from './cadence.ts'

/** A step that has come up: when it was done; null where it was not, `open` while that is undecided. */
export type PastStep = { index: number; doneAt: number | null; open: boolean }

/**
 * The moment from which on the step `index`, which closes the lead, may be done; undefined while
 * another step is still open. After an outage, the people who were to be told are told first, and
 * what was sent late is given the time for an answer that it has in the plan.
 */
export function closingMoment(
  cadence: Cadence,
  index: number,
  { start, steps }: { start: number; steps: readonly PastStep[] },
  clocks: Clocks,
): number | undefined {
  const others = steps.filter(step => {
    const other = cadence[step.index]
    return other !== undefined && trackOf(other) !== 'end'
  })
  if (others.some(({ open }) => open)) return undefined
  const moments = others.flatMap(({ index: other, doneAt }) =>
    doneAt === null
      ? []
      : dueAt(cadence, index, { start, last: { index: other, at: doneAt } }, clocks),
  )
  return Math.max(dueAt(cadence, index, { start }, clocks), ...moments)
}
