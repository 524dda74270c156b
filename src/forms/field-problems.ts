/** The problems with a body in the words of a form: one sentence for each field, in the language of the page. */
import type { FormDetails } from '../leads/body/form-details.ts'
import { PHONE_DIGITS } from '../leads/body/phone.ts'
import type { Problem } from '../leads/body/problems.ts'
import type { FormFacts } from './form-facts.ts'
import type { Field, FieldName, FieldWords } from './form-fields.ts'
import { fill } from './form-words.ts'
import { problemOfOwn } from './own-questions.ts'

/** The sentence beside each field with problems: about its first, since people correct one at a time. */
export type FieldProblems = Partial<Record<FieldName, string>>

/** The sentences for the problems with fields of the form. A page of ours never causes any other problem. */
export function fieldProblemsOf(found: readonly Problem[], fields: readonly Field[]): FieldProblems {
  const fieldProblems: FieldProblems = {}
  for (const problem of found) {
    const field = 'field' in problem ? fields.find(({ name }) => name === problem.field) : undefined
    if (field !== undefined) {
      fieldProblems[field.name] ??= sentenceFor(problem, field, field.words)
    }
  }
  return fieldProblems
}

/** The errors for required questions that were left empty, and are not among the fields that the operation checks. */
export const unanswered = ({ fields }: Pick<FormFacts, 'fields'>, given: FormDetails, values: Values): FieldProblems =>
  Object.fromEntries(
    fields.flatMap(field => {
      const { name, required, own, words } = field
      if (own !== undefined) return problemOfOwn(field, values) ?? []
      return name === 'program' && required && given.program === undefined ? [[name, words.empty]] : []
    }),
  )

type Values = Readonly<Record<string, string>>

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
    case 'extension':
      return words.extension ?? wrong
    case 'text':
      return words.characters ?? wrong
    default:
      return wrong
  }
}

/** The minimum and maximum number of digits of a phone number; undefined if the field is not one. */
export const digitsOf = ({ format }: Field): readonly [number, number] | undefined =>
  format === 'phone' ? [PHONE_DIGITS.least, PHONE_DIGITS.most] : undefined
