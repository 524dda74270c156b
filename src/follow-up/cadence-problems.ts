/** The problems of a cadence from the settings, one sentence each. */
import { type Cadence, type Delay, nominalMinutes, parseDelay, type Step, trackOf, tracks } from './cadence.ts'

/** One sentence for each problem of a cadence, which names the step; empty if the cadence can be followed. */
export const cadenceProblems = (cadence: Cadence): string[] => [
  ...nameProblems(cadence),
  ...cadence.flatMap(stepProblems),
  ...tracks.flatMap(track => orderProblems(cadence.filter(step => trackOf(step) === track))),
  ...closingProblems(cadence),
]

function nameProblems(cadence: Cadence): string[] {
  const names = cadence.map(step => step.name)
  return names.flatMap((name, i) => {
    if (!/^[a-z0-9][a-z0-9-]*$/.test(name)) {
      return [`step ${quote(name)} must have a name of lowercase letters, digits and hyphens`]
    }
    return names.indexOf(name) < i ? [`step ${quote(name)} must not have the same name as another step`] : []
  })
}

function stepProblems(step: Step): string[] {
  const problems: string[] = []
  if (parseDelay(step.after) === undefined) {
    problems.push(
      `step ${quote(step.name)} must have a delay in 'after' such as '15 minutes', '36 hours' or '3 days', at most 365 days (it is ${quote(step.after)})`,
    )
  }
  if (trackOf(step) === 'student' && step.clock !== 'student') {
    problems.push(`step ${quote(step.name)} goes to the student, so its clock must be 'student'`)
  }
  return problems
}

function orderProblems(steps: readonly Step[]): string[] {
  const timed = steps.flatMap(step => {
    const delay = parseDelay(step.after)
    return delay === undefined ? [] : [{ ...step, delay }]
  })
  const counted = timed.find(step => unitOf(step.delay) !== undefined)
  const oneUnit = timed.some(step => step.clock === 'school') ? counted : undefined
  return timed.flatMap((step, i) => {
    const problems: string[] = []
    const previous = timed[i - 1]
    if (previous && nominalMinutes(step.delay) < nominalMinutes(previous.delay)) {
      problems.push(`step ${quote(step.name)} must not come before ${quote(previous.name)}, which is listed above it`)
    }
    if (oneUnit && mixes(step.delay, oneUnit.delay)) {
      problems.push(
        `step ${quote(step.name)} must be counted in ${unitOf(oneUnit.delay)}, as ${quote(oneUnit.name)} is: a day at the school does not have a fixed number of hours`,
      )
    }
    return problems
  })
}

const mixes = (one: Delay, other: Delay): boolean => unitOf(one) !== undefined && unitOf(one) !== unitOf(other)

/** The unit of a delay; undefined for a delay of 0, which fits any unit. */
function unitOf({ days, minutes }: Delay): string | undefined {
  if (days > 0) return 'days'
  return minutes > 0 ? 'minutes or hours' : undefined
}

function closingProblems(cadence: Cadence): string[] {
  const [closing, ...more] = cadence.filter(step => trackOf(step) === 'end')
  const end = closing && parseDelay(closing.after)
  const later = cadence.filter(step => {
    const delay = parseDelay(step.after)
    return trackOf(step) !== 'end' && delay && end && nominalMinutes(delay) > nominalMinutes(end)
  })
  return [
    ...more.map(step => `step ${quote(step.name)} must not close the lead: another step already does`),
    ...later.map(step => `step ${quote(closing?.name ?? '')} must not close the lead before step ${quote(step.name)}`),
  ]
}

const quote = (text: string): string => `'${text}'`
