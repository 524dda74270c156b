/** What a form of the school is, as versions have it (`school-forms.ts`). */
import type { Localized } from '../leads/body/languages.ts'
import type { Kind } from '../leads/body/submission.ts'
import { formUrlOf } from './form-settings.ts'
import { language, localized } from './localized.ts'
import { lines, listOf, object, oneOf, optional, type Shape, text } from './shape.ts'

/** What a form may ask beside what the operation of its kind requires. */
export const optionalQuestions = {
  student: [
    ...(['city', 'state', 'program', 'timeline', 'interestLevel', 'experience'] as const),
    ...(['employer', 'source', 'message'] as const),
  ],
  site: ['message'],
} as const

export type OptionalQuestion = (typeof optionalQuestions)[Kind][number]

export type Question = { field: OptionalQuestion; answer: 'optional' | 'required' }

export type SchoolForm = {
  /** The last part of its URL. It never changes: links, codes and embeds name it. */
  name: string
  kind: Kind
  /** Words of the school; ours where there are none. */
  title?: Localized
  introduction?: Localized
  sent?: Localized
  /** A page of the school that opens instead of our thanks. */
  sentUrl?: string
  /** In the order in which people answer them. */
  questions: Question[]
  /** The language to begin with where the URL names none; otherwise the browser's. */
  language?: string
  /** The program to begin with. A form that does not ask for it records this one. */
  program?: string
  /** Where its inquiries count as coming from, unless a campaign says otherwise. */
  source?: string
  /** Not in use anymore: its URL leads to the first form of its kind. */
  state?: 'archived'
}

const nameLike = { like: /^[a-z0-9][a-z0-9-]{1,39}$/, wanted: 'a short name such as phlebotomy-austin' }

const allQuestions = [...optionalQuestions.student]

const form: Shape<SchoolForm> = object({
  name: text(40, nameLike),
  kind: oneOf('student', 'site'),
  title: optional(localized(text(120))),
  introduction: optional(localized(lines(1000))),
  sent: optional(localized(lines(1000))),
  sentUrl: optional(formUrlOf('https://www.example.edu/thank-you')),
  questions: listOf(object({ field: oneOf(...allQuestions), answer: oneOf('optional', 'required') }), { least: 0 }),
  language: optional(language),
  program: optional(text(120)),
  source: optional(text(100)),
  state: optional(oneOf('archived')),
})

/** The most forms that a school can have, archived ones included. */
export const MOST_FORMS = 100

export const schoolFormsShape = object({ forms: listOf(form, { least: 0 }) })
