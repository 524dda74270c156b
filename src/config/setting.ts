/** What a tree of settings is made of: each entry says once what a setting must be, its default, and its name. */
import { object, optional, type Shape } from './shape.ts'

/** One setting; `words` is its name for people, as the console shows it. */
export class Setting<T> {
  readonly shape: Shape<T>
  /** Undefined if it has no value unless someone gives it one. */
  readonly initial: T | undefined
  readonly words: string

  constructor(shape: Shape<T>, initial: T | undefined, words: string) {
    this.shape = shape
    this.initial = initial
    this.words = words
  }
}

/** Settings that are missing together; each that is `required` must be given if any is. */
export class OptionalGroup<F extends Tree> {
  readonly optionalFields: F

  constructor(fields: F) {
    this.optionalFields = fields
  }
}

export type Tree = { readonly [name: string]: Setting<unknown> | OptionalGroup<Tree> | Tree }

export const setting = <T>(shape: Shape<T>, initial: NoInfer<T>, words: string) => new Setting<T>(shape, initial, words)

/** A setting of an optional group that must be given where the group is, so it needs no default. */
export const required = <T>(shape: Shape<T>, words: string) => new Setting<T>(shape, undefined, words)

/** A setting that has no value unless someone gives it one. */
export const noDefault = <T>(shape: Shape<T>, words: string) =>
  new Setting<T | undefined>(optional(shape), undefined, words)

/** The settings that a tree describes. */
export type Values<F> = { -readonly [K in Exclude<keyof F, OptionalNames<F>>]: Value<F[K]> } & {
  -readonly [K in OptionalNames<F>]?: Exclude<Value<F[K]>, undefined>
}
type OptionalNames<F> = { [K in keyof F]: undefined extends Value<F[K]> ? K : never }[keyof F]
type Value<N> = N extends Setting<infer T> ? T : N extends OptionalGroup<infer F> ? Values<F> | undefined : Values<N>

/** The check of all settings of a tree. */
export function shapeOf<F extends Tree>(tree: F): Shape<Values<F>> {
  const shapes = Object.entries(tree).map(([name, node]) => [name, shapeOfNode(node)] as const)
  return object(Object.fromEntries(shapes)) as Shape<unknown> as Shape<Values<F>>
}

function shapeOfNode(node: Tree[string]): Shape<unknown> {
  if (node instanceof Setting) return node.shape
  return node instanceof OptionalGroup ? optional(shapeOf(node.optionalFields)) : shapeOf(node)
}

/** The settings of a school that has changed none. */
export function defaultsOf<F extends Tree>(tree: F): Values<F> {
  const values = Object.entries(tree).map(([name, node]) => [name, defaultOfNode(node)] as const)
  return Object.fromEntries(values.filter(([, value]) => value !== undefined)) as Values<F>
}

function defaultOfNode(node: Tree[string]): unknown {
  if (node instanceof Setting) return node.initial
  return node instanceof OptionalGroup ? undefined : defaultsOf(node)
}

/** The name of a setting, or those of a group by the keys of its settings. */
export type Words = string | { [name: string]: Words }

export function wordsOf(node: Tree[string]): Words {
  if (node instanceof Setting) return node.words
  const fields = node instanceof OptionalGroup ? node.optionalFields : node
  return Object.fromEntries(Object.entries(fields).map(([name, inner]) => [name, wordsOf(inner)]))
}
