/** Filling in a form from its URL: only the fields that the form allows, and never the consent. */
import { shortText } from '../leads/body/form-details.ts'
import type { FormFacts } from './form-facts.ts'
import type { Choice, Field } from './form-fields.ts'

/** If a field itself has no limit, the longest text that a URL can fill in, in UTF-16 units. */
const LONGEST = 300

/** The values of fields from the parameters of the URL with the same names. */
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
