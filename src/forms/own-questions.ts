/** The school's own questions: how a form asks them, and what people answered. */
import { answersOf, hasOwnChoices, LONGEST_LABEL, type OwnQuestion } from '../config/school-form.ts'
import type { Settings } from '../config/settings.ts'
import { type FormDetails, LONGEST_TYPED, shortText } from '../leads/body/form-details.ts'
import { inLanguage } from '../leads/body/languages.ts'
import { capital, codePoints } from '../leads/body/tidy-text.ts'
import { dayParts, isDay } from '../platform/time.ts'
import type { Field, FieldName } from './form-fields.ts'
import { fill, type Words } from './form-words.ts'

type Values = Readonly<Record<string, string>>

/** The field of a question in a language. Answers are stored in the school's first language. */
export function ownField(
  question: OwnQuestion,
  { languages }: Settings,
  { language, words: { form } }: { language: string; words: Words },
): Field {
  const { id, label, type, answer, choices = [], showIf, value } = question
  const [first = 'en'] = languages
  const asked = inLanguage(label, language)
  const labels = hasOwnChoices(type)
    ? choices.map(words => inLanguage(words, language))
    : type === 'time'
      ? dayParts.map(part => form[part])
      : [form.yes, form.no]
  return {
    name: `own-${id}`,
    required: answer === 'required' && type !== 'hidden',
    format: undefined,
    least: 0,
    most: LONGEST_TYPED,
    choices: answersOf(question, first)?.map((value, i) => ({ value, label: labels[i] ?? value })),
    words: { label: asked, empty: fill(form.answerThis, { question: asked }), long: form.shorter },
    own: {
      question: inLanguage(label, first).slice(0, LONGEST_LABEL),
      type,
      ...(showIf && {
        showIf: { field: showIf.question === 'program' ? 'program' : `own-${showIf.question}`, answer: showIf.answer },
      }),
      ...(value !== undefined && { value }),
    },
  }
}

/** The question for the best time to call, for the second step of a form. */
export const timeLater = ({ form, after }: Words): Field => ({
  name: 'own-time',
  required: false,
  format: undefined,
  least: 0,
  most: LONGEST_TYPED,
  choices: dayParts.map(part => ({ value: capital(part), label: form[part] })),
  words: { label: after.bestTime, empty: '' },
  own: { question: BEST_TIME, type: 'time', later: true },
})

/** The question's name in a person's answers. */
export const BEST_TIME = 'Best time to call'

/** The initial values of a form's hidden fields. */
export const hiddenValues = ({ fields }: { fields: readonly Field[] }): Record<string, string> =>
  Object.fromEntries(fields.flatMap(({ name, own }) => (own?.value === undefined ? [] : [[name, own.value]])))

/** The answers in the order of the questions, and the details that follow from them. Unanswered ones are left out. */
export function ownAnswersIn(
  { fields }: { fields: readonly Field[] },
  values: Values,
): Pick<FormDetails, 'answers' | 'bestTime' | 'campus'> {
  const given = fields.flatMap(field => {
    const answer = field.own && answerTo(field, values)
    return field.own === undefined || answer === undefined ? [] : [{ ...field.own, answer }]
  })
  if (given.length === 0) return {}
  const to = (type: OwnQuestion['type']) => given.find(one => one.type === type)?.answer
  const bestTime = dayParts.find(part => capital(part) === to('time'))
  const campus = to('campus')
  return {
    answers: given.map(({ question, answer }) => ({ question, answer })),
    ...(bestTime && { bestTime }),
    ...(campus !== undefined && { campus }),
  }
}

/** The answer to a question; undefined if there is none that the question can have. */
function answerTo({ name, own, choices = [] }: Field, values: Values): string | undefined {
  const given = values[name] ?? ''
  switch (own?.type) {
    case 'choices': {
      const ticked = choices.filter((_, i) => values[`${name}-${i}`] !== undefined).map(({ value }) => value)
      return ticked.length === 0 ? undefined : ticked.join('; ')
    }
    case 'date':
      return isDay(given) ? given : undefined
    case 'text':
    case 'hidden':
      return shortText(given, LONGEST_TYPED)
    default:
      return choices.find(({ value }) => value === given)?.value
  }
}

/** What is wrong with an answer, by the name of its field; undefined if it is valid. */
export function problemOfOwn(field: Field, values: Values): [FieldName, string][] | undefined {
  const { name, required, own, most, words } = field
  const has = codePoints((values[name] ?? '').trim())
  if (own?.type === 'text' && has > most) return [[name, fill(words.long ?? words.empty, { most, has })]]
  return required && answerTo(field, values) === undefined ? [[name, words.empty]] : undefined
}
