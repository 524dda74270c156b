/** The fields that a form shows: those of the operation's schema that the settings ask for, with their choices. */
import { contactFields, optionalQuestions, type SchoolForm } from '../config/school-form.ts'
import type { Settings } from '../config/settings.ts'
import {
  type RankedField,
  rankedFields,
  siteInterestSchema,
  studentInterestSchema,
} from '../leads/body/body-schemas.ts'
import { inLanguage } from '../leads/body/languages.ts'
import { stateNames, type TranslatedStates } from '../leads/body/states.ts'
import type { Kind } from '../leads/body/submission.ts'
import { programNames } from '../leads/lead/programs.ts'
import type { Choice, Field, OurField } from './form-fields.ts'
import type { Words } from './form-words.ts'
import { ownField } from './own-questions.ts'

/** The schema of each form's operation. */
const schemas = { student: studentInterestSchema, site: siteInterestSchema } as const

type Rule = { format?: string; minLength?: number; maxLength?: number }

/** A language, and its names for the states. */
type FieldLanguage = { language: string; states: TranslatedStates; words: Words }

/**
 * The fields of a form, with the labels of their choices in one language. Fields that the operation requires come
 * first.
 */
export function fieldsOf({ kind, questions, own = [] }: SchoolForm, settings: Settings, inOne: FieldLanguage): Field[] {
  const schema = schemas[kind]
  const all = [...contactFields[kind].map(field => ({ field, answer: 'required' })), ...questions]
  const ours = all.flatMap(({ field: name, answer }): Field[] => {
    const choices = choicesOf(name, settings, inOne)
    // A question that needs a list of choices and has none is left out.
    if (choices?.length === 0) return []
    const rule = (schema.properties as Partial<Record<OurField, Rule>>)[name] ?? {}
    const { format, minLength: least = 0, maxLength: most = 0 } = rule
    return [{ name, required: answer === 'required', format, least, most, choices, words: inOne.words.fields[name] }]
  })
  return [...ours, ...own.map(one => ownField(one, settings, inOne))]
}

function choicesOf(
  name: OurField,
  settings: Settings,
  { language, states: translated }: FieldLanguage,
): Choice[] | undefined {
  if (isRanked(name)) {
    const { allowed = [], labels = {} } = settings.studentInterest.answers[name] ?? {}
    return allowed.map((value, i) => ({ value, label: labels[language]?.[i] ?? value.replace(/^\d - /, '') }))
  }
  if (name === 'program') return programChoices(settings, language)
  if (name !== 'state') return undefined
  const { school, studentInterest } = settings
  const own = Object.keys(studentInterest.states).length > 0
  // In other countries, the states of the United States are the wrong list: people type theirs.
  if (school.country !== 'US' && !own) return undefined
  const unitedStates = school.country === 'US'
  return stateNames(studentInterest.states, { unitedStates, language, translated })
}

/** The programs of the school. */
export function programChoices(settings: Settings, language: string): Choice[] {
  const names = programNames(settings)
  return settings.programs.map(({ name }, i) => ({ value: names[i] ?? '', label: inLanguage(name, language) }))
}

const isRanked = (name: OurField): name is RankedField => (rankedFields as readonly string[]).includes(name)

/** Every field of the body that a form of this kind may send, including those that it does not show. */
export const bodyFieldsOf = (kind: Kind): readonly OurField[] => bodyFields[kind]

const bodyFieldsIn = (kind: Kind): OurField[] => [
  ...contactFields[kind],
  ...optionalQuestions[kind].filter(name => name !== 'program'),
]
const bodyFields = { student: bodyFieldsIn('student'), site: bodyFieldsIn('site') }

/** The values of these fields that are not empty. */
export function givenIn(values: Readonly<Record<string, string>>, fields: readonly string[]): Record<string, string> {
  const given: Record<string, string> = {}
  for (const name of fields) {
    const value = values[name]
    if (value) given[name] = value
  }
  return given
}
