/** A cadence in words: when each step comes and what it does, and how one version differs from another. */
import { isDeepStrictEqual } from 'node:util'
import { type Cadence, parseDelay, type Recipient, recipientOf, type Step, templateOf } from './cadence.ts'

/** The recipient of a step, in the words of a sentence. */
export const recipients: Record<Recipient | 'chat', string> = {
  counselor: 'the counselor',
  backup: 'the backup',
  manager: 'the manager',
  team: 'the team',
  student: 'the student',
  chat: 'the chat channels',
}

/** When a step comes, such as `after 5 minutes of school hours`, `after 3 school days` or `after 7 days`. */
export function whenInWords({ after, clock }: Pick<Step, 'after' | 'clock'>): string {
  const delay = parseDelay(after)
  if (delay === undefined) return `after ${after || 'no time'}`
  const [count = '', unit = ''] = after.replace(/s$/, '').split(' ')
  if (count === '0') return clock === 'school' ? 'as soon as the school is open' : 'at once'
  const several = count === '1' ? '' : 's'
  if (clock === 'student') return `after ${count} ${unit}${several}`
  return unit === 'day' ? `after ${count} school day${several}` : `after ${count} ${unit}${several} of school hours`
}

/** A step in the words of a sentence, such as `the reminder to the counselor after 5 minutes of school hours`. */
export function stepInWords(step: Step): string {
  const to = recipientOf(step)
  if (to === undefined) return `the end ${whenInWords(step)}`
  return `the ${to === 'student' ? 'email' : to === 'chat' ? 'message' : 'reminder'} to ${recipients[to]} ${whenInWords(step)}`
}

/** The words for a message in a sentence, by its file. */
export type MessageWords = (file: string) => string

/** What a step does, such as `the counselor gets notifications/reminder.md` or `the lead is closed`. */
export function effectInWords(step: Step, messageInWords: MessageWords = file => file): string {
  const to = recipientOf(step)
  if (to === undefined) return 'the lead is closed'
  if (to === 'chat') return `${recipients[to]} are notified that someone is waiting`
  return `${recipients[to]} gets ${messageInWords(templateOf(step) ?? 'nothing')}`
}

/** The differences of a later version of a cadence, one sentence for each change; empty if there are none. */
export function differences(before: Cadence, after: Cadence, messageInWords?: MessageWords): string[] {
  const effect = (step: Step) => effectInWords(step, messageInWords)
  const find = (cadence: Cadence, name: string) => cadence.find(step => step.name === name)
  const removed = before
    .filter(({ name }) => find(after, name) === undefined)
    .map(step => `Removed: ${stepInWords(step)}.`)
  const others = after.flatMap(step => {
    const known = find(before, step.name)
    const when = whenInWords(step)
    if (known === undefined) return [`New: ${when}, ${effect(step)}.`]
    return [
      ...(whenInWords(known) === when ? [] : [`Changed: ${stepInWords(known)} now comes ${when}.`]),
      ...(effect(known) === effect(step) ? [] : [`Changed: ${when}, ${effect(step)}. Before, ${effect(known)}.`]),
    ]
  })
  const found = [...removed, ...others]
  return found.length === 0 && !isDeepStrictEqual(before, after)
    ? ['Steps at the same time are in another order.']
    : found
}
