/** The shapes of a language, and of a text that the school writes in each of its languages. */
import { isLanguageTag, type Localized } from '../leads/body/languages.ts'
import { isPlainObject } from '../platform/json.ts'
import { checked, recordOf, type Shape } from './shape.ts'

export const language = checked(value =>
  isLanguageTag(value) ? undefined : "a language tag such as 'en', 'es' or 'pt-BR'",
)

/** A text, or an object with one text for each language. */
export const localized =
  (inner: Shape<string>): Shape<Localized> =>
  (value, path, problems) => {
    if (!isPlainObject(value)) return inner(value, path, problems)
    if (Object.keys(value).length === 0) problems.push(`${path} must have a text for a language`)
    for (const tag of Object.keys(value)) language(tag, `${path}: the name of a language`, problems)
    return recordOf(inner)(value, path, problems)
  }
