/** A cadence in words: when each step comes and what it does, and how one version differs from another. */
import { isDeepStrictEqual } from 'node:util'
import {
  type Cadence,
  parseDelay,
  type Recipient,
  recipientOf,
  type Step,
  templateOf,
} from './cadence.ts'

/** The recipient of a step, as a sentence names it. */
export const recipients: Record<Recipient, string> = {
  counselor: 'the counselor',
  backup: 'the stand-in',
  manager: 'the manager',
  team: 'the team',
  student: 'the student',
}

/** When a step comes, such as `after 5 minutes of school hours`, `after 3 school days` or `after 7 days`. */
export function whenInWords({ after, clock }: Pick<Step, 'after' | 'clock'>): string {
  const delay = parseDelay(after)
  if (delay === undefined) return `after ${after || 'no time'}`
  const [count = '', unit = ''] = after.replace(/s$/, '').split(' ')
  if (count === '0') return clock === 'school' ? 'as soon as the school is open' : 'at once'
  const several = count === '1' ? '' : 's'
  if (clock === 'student') return `after ${count} ${unit}${several}`
  return unit === 'day'
    ? `after ${count} school day${several}`
    : `after ${count} ${unit}${several} of school hours`
}

/** What a step does, such as `the counselor gets notifications/reminder.md` or `the lead is closed`. */
export function deedInWords(step: Step): string {
  const to = recipientOf(step)
  return to === undefined ? 'the lead is closed' : `${recipients[to]} gets ${templateOf(step)}`
}

/** What is different in a later version of a cadence, a sentence for each change; none if nothing is. */
export function differences(before: Cadence, after: Cadence): string[] {
  const find = (cadence: Cadence, name: string) => cadence.find(step => step.name === name)
  const removed = before
    .filter(({ name }) => find(after, name) === undefined)
    .map(({ name }) => `'${name}' is removed.`)
  const others = after.flatMap(step => {
    const known = find(before, step.name)
    if (known === undefined)
      return [`'${step.name}' is new: ${whenInWords(step)}, ${deedInWords(step)}.`]
    return [
      ...(whenInWords(known) === whenInWords(step)
        ? []
        : [`'${step.name}' comes ${whenInWords(step)}, not ${whenInWords(known)}.`]),
      ...(deedInWords(known) === deedInWords(step)
        ? []
        : [`'${step.name}': ${deedInWords(step)}; before, ${deedInWords(known)}.`]),
    ]
  })
  const found = [...removed, ...others]
  return found.length === 0 && !isDeepStrictEqual(before, after)
    ? ['Steps at the same time are in another order.']
    : found
}
