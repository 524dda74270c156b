/** What the cells of a list can mean where the school has a fixed choice: states, programs, stages, counselors. */
import { distance } from 'fastest-levenshtein'
import { type DayPart, dayParts } from '../../platform/time.ts'
import { emailKey } from '../body/email.ts'
import { type States, stateCode, stateName } from '../body/states.ts'
import type { Kind } from '../body/submission.ts'
import { capital } from '../body/tidy-text.ts'
import { labelKey } from '../lead/labels.ts'
import { TEAM } from '../lead/staff.ts'
import { stageName, stages } from '../lead/stages.ts'
import { isOwnField, type ListQuestion, type OwnField, questionIn } from './own-columns.ts'

/** The settings that are needed to read a list. */
export type ListValues = {
  /** The states as in `ParseContext`, and the operator's own, as a map from names to codes. */
  states: States
  ownStates: Record<string, string>
  programs: readonly string[]
  /** Everyone who can get a lead, by the id of a counselor or `manager`. */
  people: readonly { id: string; name: string; email?: string }[]
  /** The campuses of the school, and the school's own questions in all of its forms of a kind. */
  campuses: readonly string[]
  questions: Record<Kind, readonly ListQuestion[]>
  country: string
  /** Noon at the school on a day; days are counted from 1 January 1970. */
  noonOf: (day: number) => number
}

const askedFields = ['state', 'program', 'stage', 'counselor', 'bestTime', 'campus'] as const
export type AskedField = (typeof askedFields)[number] | OwnField

export const isAsked = (field: string): field is AskedField =>
  (askedFields as readonly string[]).includes(field) || isOwnField(field)

/** The meanings that someone gave to words in a list, by field and `wordsKey`: a choice, or '' to leave them out. */
export type Meanings = Partial<Record<AskedField, Record<string, string>>>

/** Words that mean the same: capitals, accents and punctuation do not matter. */
export const wordsKey = (text: string): string =>
  labelKey(text)
    .replace(/[^\p{L}\p{N}@]+/gu, ' ')
    .trim()

/** `names`: other names that lists use for the choice. */
export type Choice = { value: string; words: string; names?: readonly string[] }

/** What the words in a column can mean. No lead is imported as closed, because that needs a reason. */
export function choicesFor(
  field: AskedField,
  kind: Kind,
  { states, ownStates, programs, people, campuses, questions }: ListValues,
): Choice[] {
  if (isOwnField(field)) {
    const question = questionIn(field)
    return [...(questions[kind].find(one => one.question === question)?.choices ?? [])]
  }
  const list = {
    state: () => [...new Set(states.values())].map(value => ({ value, words: stateName(value, ownStates) })),
    program: () => programs.map(value => ({ value, words: value })),
    stage: () =>
      stages[kind].filter(stage => stage !== 'closed').map(value => ({ value, words: capital(stageName(value)) })),
    counselor: () => [
      ...people.map(({ id, name }) => ({ value: id, words: name })),
      { value: TEAM, words: 'The team' },
    ],
    bestTime: () => dayParts.map(value => ({ value, words: capital(value), names: partNames[value] })),
    campus: () => campuses.map(value => ({ value, words: value, names: campusNames(questions[kind], value) })),
  }
  return list[field]()
}

const partNames: Record<DayPart, string[]> = {
  morning: ['mornings', 'am', 'mañana', 'en la mañana', 'por la mañana', 'mañanas'],
  afternoon: ['afternoons', 'tarde', 'en la tarde', 'por la tarde', 'tardes'],
  evening: ['evenings', 'night', 'noche', 'en la noche', 'por la noche', 'noches'],
}

/** The forms' names of a campus in other languages. */
const campusNames = (questions: readonly ListQuestion[], campus: string): string[] =>
  questions.flatMap(({ type, choices }) =>
    type === 'campus' ? choices.flatMap(({ value, names }) => (value === campus ? names : [])) : [],
  )

/** The choice that a cell clearly names; undefined if it does not name one. */
export function choiceOf(field: AskedField, text: string, kind: Kind, known: ListValues): string | undefined {
  if (field === 'state') return stateCode(text, known.states)
  const key = wordsKey(text)
  if (field === 'counselor') {
    const person = known.people.find(({ email }) => email !== undefined && emailKey(email) === emailKey(text))
    if (person !== undefined) return person.id
  }
  const all = choicesFor(field, kind, known)
  const found =
    // Answers of the school may differ only in a sign, such as A and A+.
    all.find(({ value }) => value.toLowerCase() === text.toLowerCase()) ??
    all.find(({ value, words, names = [] }) => [value, words, ...names].some(one => wordsKey(one) === key))
  return found?.value
}

/** The choice that words most likely mean: it begins with them, or differs in a few letters. */
export function nearestChoice(text: string, choices: readonly Choice[]): Choice | undefined {
  const key = wordsKey(text)
  if (key.length < 2) return undefined
  const [beginning] = choices
    .filter(({ words }) => wordsKey(words).startsWith(key))
    .toSorted((one, other) => one.words.length - other.words.length)
  if (beginning !== undefined) return beginning
  const [nearest] = choices
    .map(choice => ({ choice, far: distance(wordsKey(choice.words), key) }))
    .toSorted((one, other) => one.far - other.far)
  return nearest !== undefined && nearest.far <= Math.max(1, key.length / 4) ? nearest.choice : undefined
}
