/**
 * Shapes of settings: which values are valid, and the error for a value that is not. Every problem is
 * found, not only the first; docs/decisions/0023 says why no library does this.
 */
import { resembles } from '../leads/body/tidy-text.ts'
import { isColor } from '../platform/is-color.ts'
import { isPlainObject } from '../platform/json.ts'

/** Reads the value at `path`; adds a sentence to `problems` if it is not of the shape. */
export type Shape<T> = (value: unknown, path: string, problems: string[]) => T

export type Shaped<S> = S extends Shape<infer T> ? T : never

type Fields = Record<string, Shape<unknown>>
type Optional<F extends Fields> = {
  [K in keyof F]: undefined extends Shaped<F[K]> ? K : never
}[keyof F]
type ObjectOf<F extends Fields> = { [K in Exclude<keyof F, Optional<F>>]: Shaped<F[K]> } & {
  [K in Optional<F>]?: Exclude<Shaped<F[K]>, undefined>
}

const shape =
  <T>(wanted: string, fits: (value: unknown) => boolean): Shape<T> =>
  (value, path, problems) => {
    if (!fits(value)) problems.push(`${path} must be ${wanted}`)
    return value as T
  }

/** What a text must be like, such as a pattern, and the phrase about it that completes "must be …". */
type Pattern = { like: { test(text: string): boolean }; wanted: string }

/** No control characters, line breaks or halves of surrogate pairs. */
const ONE_LINE = /^[^\p{Cc}\p{Cs}\u2028\u2029]*$/u

export const text = (most: number, pattern?: Pattern): Shape<string> =>
  shape(
    pattern?.wanted ?? `one line of 1 to ${most} characters`,
    value => isLong(value, most) && ONE_LINE.test(value) && (pattern === undefined || pattern.like.test(value)),
  )

export const lines = (most: number): Shape<string> =>
  shape(`text of 1 to ${most} characters`, value => isLong(value, most))

const isLong = (value: unknown, most: number): value is string =>
  typeof value === 'string' && value.length >= 1 && value.length <= most

export const integer = (least: number, most: number): Shape<number> =>
  shape(
    `a whole number from ${least} to ${most}`,
    value => Number.isInteger(value) && Number(value) >= least && Number(value) <= most,
  )

export const oneOf = <const T extends string>(...choices: T[]): Shape<T> =>
  shape(choices.map(choice => `'${choice}'`).join(' or '), value => choices.includes(value as T))

export const optional =
  <T>(inner: Shape<T>): Shape<T | undefined> =>
  (value, path, problems) =>
    value === undefined ? undefined : inner(value, path, problems)

export const listOf =
  <T>(inner: Shape<T>, { least }: { least: 0 | 1 } = { least: 1 }): Shape<T[]> =>
  (value, path, problems) => {
    if (!Array.isArray(value)) {
      problems.push(`${path} must be a list`)
      return []
    }
    if (value.length < least) problems.push(`${path} must have at least one entry`)
    return value.map((entry, i) => inner(entry, `${path}[${i}]`, problems))
  }

/** One of two shapes: the second if the value has the field that only the second one has. */
export const either =
  <A, B>(first: Shape<A>, field: string, second: Shape<B>): Shape<A | B> =>
  (value, path, problems) =>
    (isPlainObject(value) && Object.hasOwn(value, field) ? second : first)(value, path, problems)

/** A text that must pass a check: `problemOf` returns undefined, or a phrase that completes "must be …". */
export const checked =
  (problemOf: (text: string) => string | undefined): Shape<string> =>
  (value, path, problems) => {
    const problem = typeof value === 'string' ? problemOf(value) : 'text'
    if (problem !== undefined) problems.push(`${path} must be ${problem}`)
    return value as string
  }

/** An object with any names, or names that match a pattern, and values of one shape. */
export const recordOf =
  <T>(inner: Shape<T>, names?: Pattern): Shape<Record<string, T>> =>
  (value, path, problems) => {
    if (!isPlainObject(value)) return notAnObject(path, problems)
    const entries = Object.entries(value)
    for (const [name] of entries) {
      if (names?.like.test(name) === false) {
        problems.push(`${path}: the name ${JSON.stringify(name)} must be ${names.wanted}`)
      }
    }
    return Object.fromEntries(entries.map(([name, entry]) => [name, inner(entry, `${path}.${name}`, problems)]))
  }

/** An object with these fields and no others. */
export const object =
  <F extends Fields>(fields: F): Shape<ObjectOf<F>> =>
  (value, path, problems) => {
    if (!isPlainObject(value)) return notAnObject(path, problems)
    const at = (name: string) => (path === '' ? name : `${path}.${name}`)
    for (const name of Object.keys(value).filter(name => !Object.hasOwn(fields, name))) {
      const meant = Object.keys(fields).find(field => resembles(name, field))
      const hint = meant === undefined ? '' : ` (did you mean ${meant}?)`
      problems.push(`${at(name)} is not a setting${hint}`)
    }
    const entries = Object.entries(fields)
      .map(([name, inner]) => [name, inner(value[name], at(name), problems)])
      .filter(([, entry]) => entry !== undefined)
    return Object.fromEntries(entries) as ObjectOf<F>
  }

/** Gives each of several names the same shape, for `object`. */
export const each = <N extends string, S>(names: readonly N[], inner: S): Record<N, S> =>
  Object.fromEntries(names.map(name => [name, inner])) as Record<N, S>

function notAnObject<T>(path: string, problems: string[]): T {
  problems.push(`${path || 'the settings'} must be an object`)
  return {} as T
}

export const hexColor: Shape<`#${string}`> = (value, path, problems) => {
  if (!isColor(String(value))) problems.push(`${path} must be a color such as #0a6070`)
  return value as `#${string}`
}
