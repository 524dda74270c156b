/**
 * Questions that are asked only of people who gave a certain answer to an earlier question. The server decides; a
 * script only shows the same questions sooner. Without a script, the page is shown once more, with the questions that
 * follow from the answers.
 */
import type { FieldProblems } from './field-problems.ts'
import type { FormFacts } from './form-facts.ts'
import type { Field } from './form-fields.ts'

type Values = Readonly<Record<string, string>>

/** The hidden field that lists the questions that the page asked because of an answer. */
export const ASKED_THEN = 'askedThen'

/** What the script writes into that field, since the script shows each question as soon as an answer calls for it. */
const EACH = 'each'

/** The fields that are asked of someone with these answers, in order. */
export function askedFields(fields: readonly Field[], values: Values): Field[] {
  const asked: Field[] = []
  for (const field of fields) {
    const { showIf } = field.own ?? {}
    if (showIf === undefined || asked.some(one => one.name === showIf.field && isAnswer(one, showIf.answer, values)))
      asked.push(field)
  }
  return asked
}

/** Whether someone gave this answer. If a question has several answers, one that matches is enough. */
function isAnswer({ name, own, choices = [] }: Field, answer: string, values: Values): boolean {
  if (own?.type !== 'choices') return values[name] === answer
  return choices.some(({ value }, i) => value === answer && values[`${name}-${i}`] !== undefined)
}

/** The value of the hidden field: the questions on a page that an answer calls for. `all`: the form's fields. */
export function askedThen(all: readonly Field[], onPage: readonly Field[], values: Values): string | undefined {
  if (!onPage.some(isConditional)) return undefined
  return askedFields(all, values)
    .filter(one => isConditional(one) && onPage.includes(one))
    .map(({ name }) => name)
    .join(' ')
}

/** A sentence beside each question that an answer calls for and that was not on the page before. */
export function notAskedYet({ fields, words }: Pick<FormFacts, 'fields' | 'words'>, values: Values): FieldProblems {
  const before = (values[ASKED_THEN] ?? '').split(' ')
  if (before.includes(EACH)) return {}
  const others = fields.filter(one => isConditional(one) && !before.includes(one.name))
  return Object.fromEntries(others.map(({ name }) => [name, words.form.askThen]))
}

const isConditional = ({ own }: Field): boolean => own?.showIf !== undefined && own.type !== 'hidden'
