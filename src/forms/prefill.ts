/** Filling in a form by its URL: only fields that the form allows are filled in, and consent is never one of them. */
import { shortText } from '../leads/body/form-details.ts'
import type { FormFacts } from './form-facts.ts'
import type { Choice, Field } from './form-fields.ts'

/** The longest text that a URL fills in where the field itself has no limit, in UTF-16 units. */
const LONGEST = 300

/** The values of fields from the parameters of the URL, which have the names of the fields. */
export function prefilledValues(
  { fields, form }: Pick<FormFacts, 'fields' | 'form'>,
  given: readonly (readonly [string, string])[],
): Record<string, string> {
  return answersIn(
    fields.filter(({ name }) => form.prefill?.includes(name)),
    given,
  )
}

/** The values of these fields among the parameters of a URL. */
export const answersIn = (
  fields: readonly Field[],
  given: readonly (readonly [string, string])[],
): Record<string, string> =>
  Object.fromEntries(
    fields.flatMap(field =>
      valuesOf(
        field,
        given.flatMap(([name, text]) => (name === field.name ? [text] : [])),
      ),
    ),
  )

function valuesOf({ name, own, choices, most }: Field, texts: readonly string[]): (readonly [string, string])[] {
  if (choices === undefined) {
    const text = shortText(texts[0], most || LONGEST)
    return text === undefined ? [] : [[name, text]]
  }
  const chosen = choices.flatMap((choice, i) => (texts.some(text => isMeant(choice, text)) ? [{ ...choice, i }] : []))
  if (own?.type === 'choices') return chosen.map(({ value, i }) => [`${name}-${i}`, value] as const)
  return chosen.slice(0, 1).map(({ value }) => [name, value] as const)
}

const isMeant = ({ value, label }: Choice, text: string): boolean =>
  [value, label].some(one => one.toLowerCase() === text.trim().toLowerCase())
