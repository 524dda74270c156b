/** The fields that a form shows: those of the operation's schema that the settings ask for, with their choices. */
import {
  askedInOrder,
  asksTimeLater,
  contactFields,
  type LabeledField,
  labeledFields,
  type Question,
  type SchoolForm,
} from '../config/school-form.ts'
import type { Settings } from '../config/settings.ts'
import {
  type RankedField,
  rankedFields,
  siteInterestSchema,
  studentInterestSchema,
} from '../leads/body/body-schemas.ts'
import { inLanguage, ownWords } from '../leads/body/languages.ts'
import { stateNames, type TranslatedStates } from '../leads/body/states.ts'
import type { Kind } from '../leads/body/submission.ts'
import { programNames } from '../leads/lead/programs.ts'
import type { Choice, Field, FieldWords, OurField } from './form-fields.ts'
import { fill, type Words } from './form-words.ts'
import { ownField, timeLater } from './own-questions.ts'

/** The schema of each form's operation. */
const schemas = { student: studentInterestSchema, site: siteInterestSchema } as const

type Rule = { format?: string; minLength?: number; maxLength?: number }

/** A language, and its names for the states. */
type FieldLanguage = { language: string; states: TranslatedStates; words: Words }

/** The fields of a form as people fill them in: the contact, then its questions. Words are in one language. */
export function fieldsOf(form: SchoolForm, settings: Settings, inOne: FieldLanguage): Field[] {
  const contact = contactFields[form.kind].map(field => ({ field, answer: 'required' }) as const)
  const asked = [...contact, ...askedInOrder(form)].flatMap(one =>
    'field' in one ? ourField(one, form, settings, inOne) : ownField(one, settings, inOne),
  )
  return asksTimeLater(form) ? [...asked, timeLater(inOne.words)] : asked
}

/** A field of ours; empty if the question needs a list of choices, and there is none. */
function ourField(
  { field: name, answer }: { field: LabeledField; answer: Question['answer'] },
  { kind, labels = {} }: SchoolForm,
  settings: Settings,
  inOne: FieldLanguage,
): Field[] {
  const choices = choicesOf(name, settings, inOne)
  if (choices?.length === 0) return []
  const rule = (schemas[kind].properties as Partial<Record<OurField, Rule>>)[name] ?? {}
  const { format, minLength: least = 0, maxLength: most = 0 } = rule
  const label = ownWords(labels[name], inOne.language, settings.languages)
  const words = wordsOf(name, label, choices !== undefined, inOne)
  return [{ name, required: answer === 'required', format, least, most, choices, words }]
}

/** Our words for a field. If the school has a label of its own, our sentences that name the field do not fit it. */
function wordsOf(
  name: OurField,
  label: string | undefined,
  isChosen: boolean,
  { words: { fields, form } }: FieldLanguage,
): FieldWords {
  const ours = fields[name]
  if (label === undefined) return ours
  const answerThis = fill(form.answerThis, { question: label })
  return { ...ours, label, empty: answerThis, long: form.shorter, ...(isChosen && { wrong: answerThis }) }
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

export function programChoices(settings: Settings, language: string): Choice[] {
  const names = programNames(settings)
  return settings.programs.map(({ name }, i) => ({ value: names[i] ?? '', label: inLanguage(name, language) }))
}

const isRanked = (name: OurField): name is RankedField => (rankedFields as readonly string[]).includes(name)

/** Every field of the body that a form of this kind may send, including those that it does not show. */
export const bodyFieldsOf = (kind: Kind): readonly OurField[] => bodyFields[kind]

const bodyFieldsIn = (kind: Kind): OurField[] => labeledFields(kind).filter(name => name !== 'program')
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
