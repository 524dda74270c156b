/** What the cells of a list may stand for where the school has a fixed choice: states, programs, stages, counselors. */
import { distance } from 'fastest-levenshtein'
import { emailKey } from '../body/email.ts'
import { type States, stateCode, stateName } from '../body/states.ts'
import type { Kind } from '../body/submission.ts'
import { capital } from '../body/tidy-text.ts'
import { labelKey } from '../lead/labels.ts'
import { TEAM } from '../lead/staff.ts'
import { stageName, stages } from '../lead/stages.ts'

/** What lists are read by. */
export type ListValues = {
  /** As `ParseContext` has them, and the operator's own, names to codes. */
  states: States
  ownStates: Record<string, string>
  programs: readonly string[]
  /** Everyone who may get a lead, by the id of a counselor or `manager`. */
  people: readonly { id: string; name: string; email?: string }[]
  country: string
  /** Noon of a day at the school; days are counted from 1 January 1970. */
  noonOf: (day: number) => number
}

export const askedFields = ['state', 'program', 'stage', 'counselor'] as const
export type AskedField = (typeof askedFields)[number]

export const isAsked = (field: string): field is AskedField => (askedFields as readonly string[]).includes(field)

/** What someone has said that words in a list mean, by field and `wordsKey`: a choice, or '' to leave them out. */
export type Meanings = Partial<Record<AskedField, Record<string, string>>>

/** Words that mean the same: capitals, accents and punctuation do not matter. */
export const wordsKey = (text: string): string =>
  labelKey(text)
    .replace(/[^\p{L}\p{N}@]+/gu, ' ')
    .trim()

export type Choice = { value: string; words: string }

/** What words in a column may mean. No lead is imported as closed: that needs a reason. */
export function choicesFor(
  field: AskedField,
  kind: Kind,
  { states, ownStates, programs, people }: ListValues,
): Choice[] {
  const list = {
    state: () => [...new Set(states.values())].map(value => ({ value, words: stateName(value, ownStates) })),
    program: () => programs.map(value => ({ value, words: value })),
    stage: () =>
      stages[kind].filter(stage => stage !== 'closed').map(value => ({ value, words: capital(stageName(value)) })),
    counselor: () => [
      ...people.map(({ id, name }) => ({ value: id, words: name })),
      { value: TEAM, words: 'The team' },
    ],
  }
  return list[field]()
}

/** The choice that a cell stands for by itself; undefined if it is none. */
export function choiceOf(field: AskedField, text: string, kind: Kind, known: ListValues): string | undefined {
  if (field === 'state') return stateCode(text, known.states)
  const key = wordsKey(text)
  if (field === 'counselor') {
    const person = known.people.find(({ email }) => email !== undefined && emailKey(email) === emailKey(text))
    if (person !== undefined) return person.id
  }
  return choicesFor(field, kind, known).find(({ value, words }) => wordsKey(value) === key || wordsKey(words) === key)
    ?.value
}

/** The choice that words most likely mean: it begins with them, or differs by a few letters. */
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
