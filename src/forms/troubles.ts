/** What keeps us from receiving a form, in the words of its language, with what the person can do. */
import type { HttpError } from '../http/errors.ts'
import type { FormFacts } from './form-facts.ts'
import { fill } from './form-words.ts'

/** The sentence for an error of the service. */
export function troubleOf(
  { status, headers, cause }: HttpError,
  { words: { trouble } }: FormFacts,
  { lockedOut = false } = {},
): string {
  const wait = Number(headers['Retry-After'] ?? 60)
  if (status === 429) {
    const sentence = lockedOut ? trouble.lockedOut : trouble.tooMany
    return fill(sentence, { minutes: inWords(wait, trouble) })
  }
  const isBusy = status === 503 && cause === undefined
  return isBusy ? trouble.busy : trouble.unavailable
}

/** A time in seconds, rounded up. */
function inWords(wait: number, trouble: FormFacts['words']['trouble']): string {
  const minutes = Math.max(1, Math.ceil(wait / 60))
  const hours = Math.ceil(minutes / 60)
  if (minutes === 1) return trouble.minute
  if (minutes < 60) return fill(trouble.minutes, { count: minutes })
  return hours === 1 ? trouble.hour : fill(trouble.hours, { count: hours })
}
