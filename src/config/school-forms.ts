/**
 * The school's forms: one of each kind, as the settings file describes it, and those that managers add in the console.
 * Each is a page of its own, `/forms/NAME`, on the host of its kind.
 */
import { MOST_ANSWERS } from '../leads/body/form-details.ts'
import { inLanguage } from '../leads/body/languages.ts'
import { type Kind, kinds } from '../leads/body/submission.ts'
import type { Settings } from './all-settings.ts'
import {
  answersOf,
  askedInOrder,
  askedOnce,
  contactFields,
  hasOwnChoices,
  labeledFields,
  MOST_CHOICES,
  MOST_FORMS,
  type OptionalQuestion,
  type OwnQuestion,
  optionalQuestions,
  type SchoolForm,
} from './school-form.ts'

/** The names of the forms that the settings file describes. They cannot be archived. */
export const FIRST_FORM = { student: 'student-interest', site: 'site-interest' } as const

/** All forms of the school, the two of the settings file first. */
export const formsOf = (settings: Settings): readonly SchoolForm[] =>
  settings.schoolForms ?? kinds.map(kind => firstForm(kind, settings))

/** The campuses that forms ask about, by their names in the school's first language. */
export const campusNames = (settings: Settings): string[] => [
  ...new Set(answersToChoose(settings, ['campus']).flatMap(({ answers }) => answers)),
]

/** The questions of these types that forms ask, each once, with all of its answers, in the school's first language. */
export function answersToChoose(
  settings: Settings,
  types: readonly OwnQuestion['type'][],
): { question: string; answers: string[] }[] {
  const [first = 'en'] = settings.languages
  const asked = formsOf(settings).flatMap(({ own = [] }) => own.filter(({ type }) => types.includes(type)))
  return [...Map.groupBy(asked, ({ label }) => inLanguage(label, first))].map(([question, those]) => ({
    question,
    answers: [...new Set(those.flatMap(one => answersOf(one, first) ?? []))],
  }))
}

/** What a form asks people to agree to: its own words or, without them, the settings'. Undefined if it asks nothing. */
export function consentAskedBy(
  { kind, consent: text }: Pick<SchoolForm, 'kind' | 'consent'>,
  { forms }: Pick<Settings, 'forms'>,
): Exclude<Settings['forms'][Kind]['consent'], 'none'> | undefined {
  const { consent } = forms[kind]
  if (text === undefined) return consent === 'none' ? undefined : consent
  return consent === 'none' ? { text } : { ...consent, text }
}

/** The form of a kind that the settings file describes. */
function firstForm(kind: Kind, { forms }: Settings): SchoolForm {
  const { title, introduction, sent, sentUrl } = forms[kind]
  const shown: Partial<Record<OptionalQuestion, 'hidden' | 'optional' | 'required'>> = forms[kind].fields
  return {
    name: FIRST_FORM[kind],
    kind,
    ...(title !== undefined && { title }),
    ...(introduction !== undefined && { introduction }),
    ...(sent !== undefined && { sent }),
    ...(sentUrl !== undefined && { sentUrl }),
    questions: optionalQuestions[kind]
      .filter(field => shown[field] !== 'hidden')
      .map(field => ({ field, answer: shown[field] === 'required' ? 'required' : 'optional' })),
  }
}

/** Puts forms in force in `settings`. Those of the settings file also change their own entries there. */
export function applyForms(settings: Settings, all: SchoolForm[]): void {
  settings.schoolForms = all
  for (const kind of kinds) {
    const first = all.find(({ name }) => name === FIRST_FORM[kind])
    if (first === undefined) continue
    const { title, introduction, sent, sentUrl, questions } = first
    const asked = new Map(questions.map(({ field, answer }) => [field, answer]))
    const fields = Object.fromEntries(optionalQuestions[kind].map(field => [field, asked.get(field) ?? 'hidden']))
    Object.assign(settings.forms[kind], { title, introduction, sent, sentUrl, fields })
  }
}

/** Why forms of the right shape cannot be in force, one sentence each. */
export function schoolFormProblems(all: readonly SchoolForm[]): string[] {
  const names = all.map(({ name }) => name)
  const missing = kinds.filter(kind => !all.some(one => one.name === FIRST_FORM[kind] && one.kind === kind))
  return [
    ...(all.length > MOST_FORMS ? [`forms must have at most ${MOST_FORMS} forms`] : []),
    ...missing.map(kind => `forms must have ${FIRST_FORM[kind]}, which the settings file describes`),
    ...all.flatMap((form, i) => {
      const { name, kind, brand = {}, labels = {}, questions, own = [], prefill = [], state } = form
      const at = `forms[${i}]`
      const fields = questions.map(({ field }) => field)
      const known: readonly string[] = optionalQuestions[kind]
      return [
        ...(names.indexOf(name) === i ? [] : [`${at}.name must be unique; another form is called ${name}`]),
        ...(RESERVED.includes(name) ? [`${at}.name must not be ${name}`] : []),
        ...(state !== undefined && name === FIRST_FORM[kind]
          ? [`${at}.state must be left out: this form always stays`]
          : []),
        ...(brand.logoDark !== undefined && brand.logo === undefined
          ? [`${at}.brand.logo must be set when brand.logoDark is`]
          : []),
        ...ownProblems(form, at),
        ...Object.keys(labels)
          .filter(name => !(labeledFields(kind) as string[]).includes(name))
          .map(name => `${at}.labels must not have ${name}, which this kind of form does not ask`),
        ...prefill
          .filter(name => ![...contactFields[kind], ...fields, ...own.map(({ id }) => `own-${id}`)].includes(name))
          .map(name => `${at}.prefill must not have ${name}, which this form does not ask`),
        ...fields.flatMap((field, n) =>
          !known.includes(field)
            ? [`${at}.questions must not have ${field}, which this kind of form does not ask`]
            : fields.indexOf(field) === n
              ? []
              : [`${at}.questions must have ${field} only once`],
        ),
      ]
    }),
  ]
}

function ownProblems(form: SchoolForm, at: string): string[] {
  const { own = [] } = form
  const ids = own.map(({ id }) => id)
  const inOrder = askedInOrder(form)
  return [
    ...(own.length > MOST_ANSWERS ? [`${at}.own must have at most ${MOST_ANSWERS} questions`] : []),
    ...own.flatMap((one, n) => {
      const { id, type, choices = [], showIf } = one
      const first = own.findIndex(one => one.type === type)
      return [
        ...(askedOnce.includes(type) && first !== n ? [`${at}.own[${n}].type must not be asked twice in a form`] : []),
        ...(showIf && !isAnswerable(showIf, inOrder.slice(0, inOrder.indexOf(one)))
          ? [`${at}.own[${n}].showIf must be an answer to an earlier question of this form`]
          : []),
        ...(ids.indexOf(id) === n ? [] : [`${at}.own[${n}].id must be unique`]),
        ...(hasOwnChoices(type) && (choices.length < 2 || choices.length > MOST_CHOICES)
          ? [`${at}.own[${n}].choices must be 2 to ${MOST_CHOICES} answers to choose from`]
          : []),
      ]
    }),
  ]
}

/** Whether someone can give this answer to one of these questions. */
function isAnswerable(
  { question, answer }: NonNullable<OwnQuestion['showIf']>,
  asked: ReturnType<typeof askedInOrder>,
): boolean {
  if (question === 'program') return asked.some(one => 'field' in one && one.field === 'program')
  const own = asked.find((one): one is OwnQuestion => 'id' in one && one.id === question)
  const languages = own?.choices?.flatMap(words => (typeof words === 'string' ? [] : Object.keys(words))) ?? []
  return own !== undefined && ['en', ...languages].some(one => answersOf(own, one)?.includes(answer))
}

/** Paths that have another use, so no form can have these names. */
const RESERVED = ['sent', 'begun', 'better']
