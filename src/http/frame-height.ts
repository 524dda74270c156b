/** How high an iframe must be to fit a form if no script adjusts it. */
import {
  asksTimeLater,
  contactFields,
  hasOwnChoices,
  inFirstStep,
  MOST_RADIOS,
  type OwnQuestion,
  type Question,
  type SchoolForm,
} from '../config/school-form.ts'
import { consentAskedBy } from '../config/school-forms.ts'
import type { Settings } from '../config/settings.ts'
import type { RankedField } from '../leads/body/body-schemas.ts'
import { rankedFields } from '../leads/body/body-schemas.ts'
import { type Localized, ownWords } from '../leads/body/languages.ts'
import type { Kind } from '../leads/body/submission.ts'
import { dayParts } from '../platform/time.ts'

/**
 * The height in pixels, for a phone 320 pixels wide, in the language with the longest words. It is enough for a step in
 * which nothing was filled in, with the sentences beside each field and in the list above the form. `untouched`: only for
 * what people see first.
 */
export function frameHeight(form: SchoolForm, settings: Settings, { untouched = false } = {}): number {
  const { questions, own = [], steps } = form
  const asked = own.filter(({ type }) => type !== 'hidden')
  const whole = frameOf(form, settings) + contactHeight(form, untouched) - (untouched ? LIST : 0)
  const heightOf = (theirs: typeof questions, ours: readonly OwnQuestion[]) =>
    sum([
      ...theirs.map(one => questionHeight(one, form, settings, untouched)),
      ...ours.map(one => ownHeight(one, untouched)),
    ])
  if (steps === undefined) return rounded(whole + heightOf(questions, asked))
  const [first, rest] = [true, false].map(isFirst =>
    heightOf(
      questions.filter(({ field }) => inFirstStep.questions.includes(field) === isFirst),
      asked.filter(({ type }) => inFirstStep.own.includes(type) === isFirst),
    ),
  ) as [number, number]
  const second = untouched ? 0 : REST + rest + (asksTimeLater(form) ? TIME_LATER : 0)
  return rounded(Math.max(whole + FOLLOWS + first, second))
}

const rounded = (height: number): number => Math.ceil(height / 10) * 10

const sum = (heights: readonly number[]): number => heights.reduce((all, one) => all + one, 0)

/** The height of name, email, phone and so on, if all of them are wrong. */
const CONTACT = { student: 650, site: 1060 } as const satisfies Record<Kind, number>

/** The school's label may be longer than ours, and so may the sentence that names it. */
function contactHeight({ kind, labels = {} }: SchoolForm, untouched: boolean): number {
  const more = contactFields[kind].map(field => {
    const label = labels[field]
    if (label === undefined) return 0
    // First and last name share a line, so each of their sentences has half of it.
    const parts = field === 'firstName' || field === 'lastName' ? 2 : 1
    const characters = parts * longest(label)
    const problem = untouched ? 0 : emptyHeight(characters + parts * OUR_OWN_PROBLEM.length) - EMPTY
    return labelHeight(characters, 'required') + problem
  })
  return CONTACT[kind] - (untouched ? EMPTY * contactFields[kind].length : 0) + sum(more)
}

/** The height of everything around the fields: ground, button, margins, and the list of problems without its lines. */
const AROUND = 220

/** The part of this for the list of problems. */
const LIST = 100

/** What the form says about calling instead, below its button. */
const CALL = 94

/** The same height for the second step, with its title, introduction, last link and list. */
const REST = 554

/** The height of what the first step says about the second. */
const FOLLOWS = 64

/** The height of the best time to call: the question, and its three answers. */
const TIME_LATER = 208

/** A field, and an answer to choose, each with a single line of text. */
const FIELD = 100
const MESSAGE = 130
const FIELD_OF_ANSWERS = 52
const ANSWER = 44

/** What is said when a field was left out: beside it and in the list, where a finger finds each line. */
const EMPTY = 74

/** The height of a line, in pixels, and how many characters the line holds. */
const LINE = 24
const TITLE_LINE = 29
const TEXT = 35
const TITLE = 20
const BESIDE_A_BOX = 31
const PROBLEM = 28

/** How long our own texts are in the language where they are longest, in characters. */
const OUR_WORDS = {
  student: { title: 31, introduction: 111, consent: 300 },
  site: { title: 21, introduction: 172, consent: 240 },
} as const
const OUR_PROBLEM = { program: 17, timeline: 35, interestLevel: 37, experience: 35, source: 35 } as const
const OPTIONAL = 11
const OUR_OWN_PROBLEM = 'Responde esta pregunta: '

/**
 * How many lines the longest translation of a text has. If the school has no text, our own words count. Lengths are in
 * characters.
 */
function linesOf(text: Localized | number, characters: number): number {
  if (typeof text === 'number') return Math.max(1, Math.ceil(text / characters))
  const all = typeof text === 'string' ? [text] : Object.values(text)
  return Math.max(...all.map(one => sum(one.split('\n').map(line => Math.max(1, Math.ceil(line.length / characters))))))
}

/** The same for a text that Frontdesk's own words replace in languages that lack it. */
const linesOfEither = (text: Localized = {}, ours: number, characters: number, { languages }: Settings): number =>
  Math.max(
    linesOf(text, characters),
    languages.every(one => ownWords(text, one, languages) !== undefined) ? 0 : linesOf(ours, characters),
  )

const longest = (text: Localized): number =>
  Math.max(...(typeof text === 'string' ? [text] : Object.values(text)).map(({ length }) => length))

/** The height of what is around the fields: title, introduction, consent and button. */
function frameOf(form: SchoolForm, settings: Settings): number {
  const { kind, title, introduction } = form
  const consent = consentAskedBy(form, settings)
  const ours = OUR_WORDS[kind]
  return (
    AROUND +
    (settings.school.phone === undefined ? 0 : CALL) +
    TITLE_LINE * linesOfEither(title, ours.title, TITLE, settings) +
    LINE * linesOfEither(introduction, ours.introduction, TEXT, settings) +
    (consent === undefined ? 0 : LINE * (linesOf(consent.text ?? ours.consent, BESIDE_A_BOX) + (consent.link ? 3 : 1)))
  )
}

function questionHeight(
  { field, answer }: Question,
  { labels = {} }: SchoolForm,
  settings: Settings,
  untouched: boolean,
): number {
  const answers = field === 'program' ? settings.programs.map(({ name }) => name) : rankedAnswers(field, settings)
  const isList = field === 'program' || (rankedFields as readonly string[]).includes(field)
  // A question that needs a list of choices and has none is not shown.
  if (isList && answers.length === 0) return 0
  const height = isList ? LINE + answersHeight(answers) : field === 'message' ? MESSAGE : FIELD
  const label = labels[field]
  const ours = isList ? OUR_PROBLEM[field as RankedField | 'program'] : 0
  const problem = Math.max(ours, label === undefined ? 0 : longest(label) + OUR_OWN_PROBLEM.length)
  return (
    height +
    (label === undefined ? 0 : labelHeight(longest(label), answer)) +
    (answer === 'required' && !untouched ? emptyHeight(problem) : 0)
  )
}

/** As people read them: without the rank before each. */
function rankedAnswers(field: string, { studentInterest }: Settings): Localized[] {
  const { allowed = [], labels = {} } = studentInterest.answers[field as RankedField] ?? {}
  const others = Object.entries(labels)
  return allowed.map((answer, i) =>
    Object.fromEntries([['', answer.slice(RANK)], ...others.map(([language, all]) => [language, all[i] ?? ''])]),
  )
}

const RANK = '1 - '.length

/** The sentence about an answer that was left out appears in two places. */
const emptyHeight = (sentence: Localized | number): number => EMPTY + 2 * LINE * (linesOf(sentence, PROBLEM) - 1)

function ownHeight({ label, type, choices = [], answer }: OwnQuestion, untouched: boolean): number {
  const answers = hasOwnChoices(type) ? choices : { time: dayParts, yesno: ['yes', 'no'] }[type as 'time' | 'yesno']
  const height = answers === undefined ? FIELD : answersHeight(answers, type === 'choices')
  return (
    labelHeight(longest(label), answer) +
    height +
    (answer === 'required' && !untouched ? emptyHeight(longest(label) + OUR_OWN_PROBLEM.length) : 0)
  )
}

/** The height of the second and further lines of a question. */
const labelHeight = (characters: number, answer: Question['answer']): number =>
  LINE * (linesOf(characters + (answer === 'required' ? 0 : OPTIONAL), TEXT) - 1)

/** If there are more answers than can be shown at once, they are in a menu. */
const answersHeight = (answers: readonly Localized[], all = false): number =>
  !all && answers.length > MOST_RADIOS
    ? FIELD
    : FIELD_OF_ANSWERS + sum(answers.map(one => ANSWER + LINE * (linesOf(one, BESIDE_A_BOX) - 1)))
