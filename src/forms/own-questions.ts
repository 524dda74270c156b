/** Questions of the school's own: how a form asks them, and what people answered. */
import { LONGEST_LABEL, type OwnQuestion } from '../config/school-form.ts'
import type { Settings } from '../config/settings.ts'
import { type OwnAnswer, shortText } from '../leads/body/form-details.ts'
import { inLanguage, type Localized } from '../leads/body/languages.ts'
import { codePoints } from '../leads/body/tidy-text.ts'
import type { Choice, Field, FieldName } from './form-fields.ts'
import { fill, type Words } from './form-words.ts'

type Values = Readonly<Record<string, string>>

/** The longest answer that is typed, in characters. */
const LONGEST_TYPED = 300

/** The field of a question in a language. What is stored is in the school's first language. */
export function ownField(
  { id, label, type, answer, choices = [] }: OwnQuestion,
  { languages }: Settings,
  { language, words: { form } }: { language: string; words: Words },
): Field {
  const [first = 'en'] = languages
  const choiceOf = (words: Localized): Choice => ({
    value: inLanguage(words, first),
    label: inLanguage(words, language),
  })
  const yesOrNo = [
    { value: 'Yes', label: form.yes },
    { value: 'No', label: form.no },
  ]
  return {
    name: `own-${id}`,
    required: answer === 'required',
    format: undefined,
    least: 0,
    most: LONGEST_TYPED,
    choices: type === 'yesno' ? yesOrNo : type === 'choice' || type === 'choices' ? choices.map(choiceOf) : undefined,
    words: { label: inLanguage(label, language), empty: form.answerThis, long: form.shorter },
    own: { question: inLanguage(label, first).slice(0, LONGEST_LABEL), type },
  }
}

/** What was answered, in the order of the questions; without those that no one has answered. */
export function ownAnswersIn({ fields }: { fields: readonly Field[] }, values: Values): { answers?: OwnAnswer[] } {
  const answers = fields.flatMap(field => {
    const answer = field.own && answerTo(field, values)
    return field.own === undefined || answer === undefined ? [] : [{ question: field.own.question, answer }]
  })
  return answers.length === 0 ? {} : { answers }
}

/** Undefined without an answer that the question can have. */
function answerTo({ name, own, choices = [] }: Field, values: Values): string | undefined {
  const given = values[name] ?? ''
  switch (own?.type) {
    case 'choices': {
      const ticked = choices.filter((_, i) => values[`${name}-${i}`] !== undefined).map(({ value }) => value)
      return ticked.length === 0 ? undefined : ticked.join('; ')
    }
    case 'date':
      return isDate(given) ? given : undefined
    case 'text':
      return shortText(given, LONGEST_TYPED)
    default:
      return choices.find(({ value }) => value === given)?.value
  }
}

const isDate = (text: string): boolean =>
  /^\d{4}-\d\d-\d\d$/.test(text) && new Date(`${text}T00:00Z`).toJSON()?.slice(0, 10) === text

/** What is wrong with an answer, by the name of its field; undefined if nothing is. */
export function problemOfOwn(field: Field, values: Values): [FieldName, string][] | undefined {
  const { name, required, own, most, words } = field
  const has = codePoints((values[name] ?? '').trim())
  if (own?.type === 'text' && has > most) return [[name, fill(words.long ?? words.empty, { most, has })]]
  return required && answerTo(field, values) === undefined ? [[name, words.empty]] : undefined
}
