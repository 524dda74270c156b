/** Where a source puts each field in its posts: a path such as `answers.0.value`, or a fixed text in quotes. */
import type { Kind } from '../body/submission.ts'
import { guessColumns } from '../import/list-columns.ts'
import { type Mapping, type SourceField, sourceFields } from './lead-source.ts'

/** The values of a post, by field; '' is left out. */
export type Given = Partial<Record<SourceField, string>>

export function valuesIn(post: unknown, mapping: Mapping): Given {
  const entries = Object.entries(mapping).flatMap(([field, place]) => {
    const value = fixedText(place) ?? textAt(post, place)
    return value === undefined || value.trim() === '' ? [] : [[field, value]]
  })
  return Object.fromEntries(entries)
}

/** The text in `"Wisconsin"`; undefined if it is a path. */
const fixedText = (place: string): string | undefined => /^"(.*)"$/s.exec(place.trim())?.[1]

/** Fields that must be in each post. A fixed text would be an assumption about every person. */
const NEVER_FIXED: readonly SourceField[] = ['id', 'consent', 'email', 'phone']

/** What is wrong with the place that someone entered for a field, as a sentence. */
export function placeProblem(field: SourceField, place: string): string | undefined {
  if (place.length > 500) return 'That is too long.'
  if (fixedText(place) !== undefined && NEVER_FIXED.includes(field))
    return 'This must come from each post: a text that is always the same would be made up.'
  return undefined
}

/** The text at a path: the name of a property, which may contain dots; or names and numbers with dots in between. */
function textAt(post: unknown, path: string): string | undefined {
  const own = textOf(propertyOf(post, path))
  return own ?? textOf(path.split('.').reduce(propertyOf, post))
}

const propertyOf = (value: unknown, name: string): unknown =>
  ownOf(value, name) ?? answersIn(value)?.find(answer => answer.name === name)?.value

/** In a list of answers: the possible names of the property with the question, and of the one with the answer. */
const QUESTION = ['name', 'key', 'field', 'question', 'label']
const ANSWER = ['values', 'value', 'answer', 'text']

/**
 * The answers in a list such as `[{"name": "email", "values": ["ana@mail.example"]}]`, as in Meta's lead forms. Each is
 * read like a property with that name. Undefined for any other value.
 */
function answersIn(value: unknown): { name: string; value: unknown }[] | undefined {
  if (!Array.isArray(value) || value.length === 0) return undefined
  const answers = value.flatMap((one: unknown) => {
    const own = (names: readonly string[]) => names.map(name => ownOf(one, name)).find(found => found !== undefined)
    const [name, said] = [own(QUESTION), own(ANSWER)]
    return typeof name === 'string' && said !== undefined ? [{ name, value: said }] : []
  })
  return answers.length === value.length ? answers : undefined
}

const ownOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined

/** The number as text; undefined for a whole number that JSON has rounded: with it as an id, two leads would be one. */
export const textOfNumber = (value: number): string | undefined =>
  Number.isInteger(value) && !Number.isSafeInteger(value) ? undefined : String(value)

function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  if (typeof value === 'number') return textOfNumber(value)
  if (typeof value === 'boolean') return String(value)
  // A list of texts, such as the choices that someone ticked, becomes one text.
  if (Array.isArray(value) && value.length > 0 && value.every(one => typeof one === 'string')) return value.join(', ')
  return undefined
}

/** A guess looks at up to this many paths. */
const MOST_PATHS = 200

/** Every path of a post that leads to a text or a number, with the value. */
function pathsIn(post: unknown): [path: string, text: string][] {
  const found: [string, string][] = []
  const walk = (value: unknown, path: string): void => {
    const text = textOf(value)
    if (found.length >= MOST_PATHS) return
    // A value that is only true or false cannot be a name.
    if (text !== undefined && typeof value !== 'boolean') found.push([path, text])
    else if (typeof value === 'object' && value !== null)
      for (const [name, one] of entriesOf(value)) walk(one, path === '' ? name : `${path}.${name}`)
  }
  walk(post, '')
  return found.filter(([path]) => path !== '')
}

const entriesOf = (value: object): [string, unknown][] =>
  answersIn(value)?.map(one => [one.name, one.value]) ?? Object.entries(value)

/** What each path of a sample most likely contains, guessed like the columns of a list. */
export function guessMapping(kind: Kind, sample: unknown): Mapping {
  const paths = pathsIn(sample)
  const headers = paths.map(([path]) => path.slice(path.lastIndexOf('.') + 1).replace(/^.*\[([^\]]+)\]$/, '$1'))
  const columns = guessColumns(kind, headers, [paths.map(([, text]) => text)])
  const known = new Set<string>(sourceFields[kind])
  const guessed = columns.flatMap((field, at) => {
    const [path] = paths[at] ?? []
    return field === null || path === undefined || !known.has(field) ? [] : [[field, path] as const]
  })
  const id = paths.find(([path]) => /(?:^|[._])(?:lead(?:gen)?_?id|id|uuid)$/i.test(path))?.[0]
  return Object.fromEntries([...guessed, ...(id === undefined ? [] : [['id', id] as const])])
}
