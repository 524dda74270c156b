/** Problems with a body in the words of a form: one sentence for each field, in the language of the page. */
import { PHONE_DIGITS } from '../leads/phone.ts'
import type { Problem } from '../leads/problems.ts'
import type { Field, FieldName } from './fields.ts'
import { type FieldWords, fill, type Words } from './words.ts'

/** The sentence beside each field that has a problem: the first one, since people mend one at a time. */
export type Complaints = Partial<Record<FieldName, string>>

/** Leaves out problems with anything but the fields of the form, which a page of ours never makes. */
export function complaintsOf(
  found: readonly Problem[],
  fields: readonly Field[],
  words: Words,
): Complaints {
  const complaints: Complaints = {}
  for (const problem of found) {
    const field = 'field' in problem ? fields.find(({ name }) => name === problem.field) : undefined
    if (field !== undefined) {
      complaints[field.name] ??= sentenceFor(problem, field, words.fields[field.name])
    }
  }
  return complaints
}

function sentenceFor(problem: Problem, field: Field, words: FieldWords): string {
  const wrong = words.wrong ?? words.empty
  switch (problem.code) {
    case 'missing':
    case 'empty':
      return words.empty
    case 'length': {
      const sentence = problem.length < problem.least ? words.short : words.long
      return fill(sentence ?? wrong, { ...problem, has: problem.length })
    }
    case 'phone': {
      const [least, most] = digitsOf(field) ?? [0, 0]
      const sentence = problem.digits < least ? words.few : words.many
      return fill(sentence ?? wrong, { least, most, has: problem.digits })
    }
    case 'text':
      return words.characters ?? wrong
    default:
      return wrong
  }
}

/** The fewest and the most digits of a phone number; undefined for another field. */
export const digitsOf = ({ format }: Field): readonly [number, number] | undefined =>
  format === 'phone' ? [PHONE_DIGITS.least, PHONE_DIGITS.most] : undefined
