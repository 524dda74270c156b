/** What a form of the school consists of, as versions store it (`school-forms.ts`). */
import { inLanguage, type Localized } from '../leads/body/languages.ts'
import type { Kind } from '../leads/body/submission.ts'
import { capital } from '../leads/body/tidy-text.ts'
import { hasPlainHost } from '../platform/is-url.ts'
import { dayParts } from '../platform/time.ts'
import { formUrlOf } from './form-settings.ts'
import { language, localized } from './localized.ts'
import { each, hexColor, lines, listOf, object, oneOf, optional, type Shape, text } from './shape.ts'

/** What every form asks first, in the order in which people fill it in. */
export const contactFields = {
  student: ['firstName', 'lastName', 'email', 'phone'],
  site: ['firstName', 'lastName', 'email', 'phone', 'company', 'address'],
} as const

/** What a form may ask besides what the operation of its kind requires. */
export const optionalQuestions = {
  student: [
    ...(['city', 'state', 'program', 'timeline', 'interestLevel', 'experience'] as const),
    ...(['employer', 'source', 'message'] as const),
  ],
  site: ['message'],
} as const

export type OptionalQuestion = (typeof optionalQuestions)[Kind][number]

export type Question = { field: OptionalQuestion; answer: 'optional' | 'required' }

/** The questions that a form asks in our words, unless the school has its own. */
export type LabeledField = (typeof contactFields)[Kind][number] | OptionalQuestion

/** Everything in the list above that a form of this kind may ask, in our order. */
export const labeledFields = (kind: Kind): LabeledField[] => [...contactFields[kind], ...optionalQuestions[kind]]

/** The best time to call and the campus are more than words: reminders and assignment depend on them. */
export const ownTypes = ['text', 'choice', 'choices', 'yesno', 'date', 'time', 'campus', 'hidden'] as const

/** The types of questions that a form asks at most once. */
export const askedOnce: readonly OwnQuestion['type'][] = ['time', 'campus']

/** Whether people choose among answers that the school has written. */
export const hasOwnChoices = (type: OwnQuestion['type']): boolean => ['choice', 'choices', 'campus'].includes(type)

/**
 * One of the school's own questions. Its answer is stored besides the body of the operation, whose fields are fixed.
 */
export type OwnQuestion = {
  /** Unique in its form: the name of its field. */
  id: string
  label: Localized
  /** `choices`: people may choose several. */
  type: (typeof ownTypes)[number]
  answer: Question['answer']
  /**
   * The question comes just before this question of ours. Without a value, or if the form does not ask that question,
   * it comes last.
   */
  before?: OptionalQuestion
  /** The question is asked only of people who gave this answer, as stored, to an earlier one: its id, or `program`. */
  showIf?: { question: string; answer: string }
  /** The value of a hidden field, unless the URL says something else. */
  value?: string
  /** The choices, if the school writes the answers for this type (`hasOwnChoices`). */
  choices?: Localized[]
}

/**
 * The stored answers of a question with choices; answers that the school has written are in this language. Undefined
 * if people type their answers.
 */
export function answersOf({ type, choices = [] }: OwnQuestion, language: string): string[] | undefined {
  if (hasOwnChoices(type)) return choices.map(words => inLanguage(words, language))
  if (type === 'time') return dayParts.map(capital)
  return type === 'yesno' ? ['Yes', 'No'] : undefined
}

/** The questions of the first of two steps, besides the contact: the ones that filing and routing need. */
export const inFirstStep = {
  questions: ['state', 'program'] as readonly string[],
  own: ['time', 'campus', 'hidden'] as readonly OwnQuestion['type'][],
}

/** Whether the second step asks when it is best to call. A form in one step asks that after it was sent. */
export const asksTimeLater = ({ steps, own = [] }: Pick<SchoolForm, 'steps' | 'own'>): boolean =>
  steps === 'two' && !own.some(({ type }) => type === 'time')

export type SchoolForm = {
  /** The last part of its URL. It never changes: links, codes and embeds name it. */
  name: string
  kind: Kind
  /** Words of the school; if absent, our own. */
  title?: Localized
  introduction?: Localized
  /** What the button says that sends the form, or its first step. */
  button?: Localized
  sent?: Localized
  /** The wording of our own questions, if the school changed it. */
  labels?: Partial<Record<LabeledField, Localized>>
  /**
   * What people agree to, in the words of this form; such a form always asks. Otherwise, the settings say whether it
   * asks, and in which words.
   */
  consent?: Localized
  /** Its color and its logo, if they are not the school's. */
  brand?: FormBrand
  /** A page of the school that opens instead of our thanks. */
  sentUrl?: string
  /** The questions, in the order in which people answer them. */
  questions: Question[]
  /** The school's own questions. */
  own?: OwnQuestion[]
  /** The fields that the URL may fill in, by name: `firstName`, or `own-q1` for one of the school's own questions. */
  prefill?: string[]
  /** Set if it asks in two steps: first the contact, which is an inquiry by itself, and then the rest. */
  steps?: 'two'
  /** The language to begin with if the URL names none. Default: the browser's. */
  language?: string
  /** The program to begin with. A form that does not ask for it records this one. */
  program?: string
  /** The source that its inquiries get unless a campaign names another. */
  source?: string
  /** Whether the form is archived. Its URL then leads to the first form of its kind. */
  state?: 'archived'
}

/** What a form asks besides the contact, in the order in which people answer it. */
export function askedInOrder({
  questions,
  own = [],
}: Pick<SchoolForm, 'questions' | 'own'>): (Question | OwnQuestion)[] {
  const fields = questions.map(({ field }) => field)
  return [
    ...questions.flatMap(one => [...own.filter(({ before }) => before === one.field), one]),
    ...own.filter(({ before }) => before === undefined || !fields.includes(before)),
  ]
}

/** The logos are https: URLs. */
export type FormBrand = { color?: `#${string}`; logo?: string; logoDark?: string }

/** The longest question, and the longest choice, in characters. */
export const LONGEST_LABEL = 120

/** The most choices that one of the school's own questions can have. */
export const MOST_CHOICES = 20

/** A question with more answers than this shows them in a menu. */
export const MOST_RADIOS = 5

/** The longest text of a button, in characters. */
export const LONGEST_BUTTON = 40

/** The longest value of a hidden field, in characters. */
export const LONGEST_VALUE = 300

const nameLike = { like: /^[a-z0-9][a-z0-9-]{1,39}$/, wanted: 'a short name such as phlebotomy-austin' }

const field = oneOf(...optionalQuestions.student)

const own: Shape<OwnQuestion> = object({
  id: text(20, { like: /^[a-z0-9]+$/, wanted: 'letters and digits' }),
  label: localized(text(LONGEST_LABEL)),
  type: oneOf(...ownTypes),
  answer: oneOf('optional', 'required'),
  choices: optional(listOf(localized(text(LONGEST_LABEL)))),
  before: optional(field),
  showIf: optional(object({ question: text(20), answer: text(LONGEST_LABEL) })),
  value: optional(text(LONGEST_VALUE)),
})

const logo = text(500, {
  like: { test: url => /^https:\/\/[^\s"'<>]+$/.test(url) && hasPlainHost(url) },
  wanted: 'an https:// URL of an image',
})

const label = optional(localized(text(LONGEST_LABEL)))
const labels = object(each([...new Set([...labeledFields('student'), ...labeledFields('site')])], label))

const form: Shape<SchoolForm> = object({
  name: text(40, nameLike),
  kind: oneOf('student', 'site'),
  title: optional(localized(text(120))),
  introduction: optional(localized(lines(1000))),
  button: optional(localized(text(LONGEST_BUTTON))),
  labels: optional(labels),
  sent: optional(localized(lines(1000))),
  consent: optional(localized(lines(1000))),
  brand: optional(object({ color: optional(hexColor), logo: optional(logo), logoDark: optional(logo) })),
  sentUrl: optional(formUrlOf('https://www.example.edu/thank-you')),
  questions: listOf(object({ field, answer: oneOf('optional', 'required') }), { least: 0 }),
  own: optional(listOf(own, { least: 0 })),
  prefill: optional(listOf(text(30), { least: 0 })),
  steps: optional(oneOf('two')),
  language: optional(language),
  program: optional(text(120)),
  source: optional(text(100)),
  state: optional(oneOf('archived')),
})

/** The most forms that a school can have, archived ones included. */
export const MOST_FORMS = 100

export const schoolFormsShape = object({ forms: listOf(form, { least: 0 }) })
