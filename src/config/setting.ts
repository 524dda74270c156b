/** What a tree of settings consists of. Each entry says once what a setting must be, its default, and its name. */
import type { Told } from './setting-topics.ts'
import { object, optional, type Shape } from './shape.ts'

/** One setting. `words` is what the console says about it; in a group, the setting's name there. */
export class Setting<T, W extends Told | string = Told | string> {
  readonly shape: Shape<T>
  /** The default; undefined if the setting has no value until someone sets it. */
  readonly initial: T | undefined
  readonly words: W

  constructor(shape: Shape<T>, initial: T | undefined, words: W) {
    this.shape = shape
    this.initial = initial
    this.words = words
  }
}

type Parts = { readonly [name: string]: Setting<unknown, string> }

/** Settings that the console shows in one line, such as the hours of each weekday. */
export class Group<F extends Parts> {
  readonly words: Told
  readonly fields: F

  constructor(words: Told, fields: F) {
    this.words = words
    this.fields = fields
  }
}

/** Settings that may be missing together. If any of them is given, those that are `required` must be given, too. */
export class OptionalGroup<F extends Parts> {
  readonly words: Told
  readonly optionalFields: F

  constructor(words: Told, fields: F) {
    this.words = words
    this.optionalFields = fields
  }
}

type Line = Setting<unknown, Told> | Group<Parts> | OptionalGroup<Parts>
type Node = Line | Setting<unknown> | Tree
export type Tree = { readonly [name: string]: Line | Tree }
type Nodes = { readonly [name: string]: Node }

export const setting = <T, W extends Told | string>(shape: Shape<T>, initial: NoInfer<T>, words: W) =>
  new Setting<T, W>(shape, initial, words)

/** A setting that must be given if its optional group is given, so it needs no default. */
export const required = <T>(shape: Shape<T>, words: string) => new Setting<T, string>(shape, undefined, words)

/** A setting that has no value unless someone gives it one. */
export const noDefault = <T, W extends Told | string>(shape: Shape<T>, words: W) =>
  new Setting<T | undefined, W>(optional(shape), undefined, words)

/** The type of the settings that a tree describes. */
export type Values<F> = { -readonly [K in Exclude<keyof F, OptionalNames<F>>]: Value<F[K]> } & {
  -readonly [K in OptionalNames<F>]?: Exclude<Value<F[K]>, undefined>
}
type OptionalNames<F> = { [K in keyof F]: undefined extends Value<F[K]> ? K : never }[keyof F]
type Value<N> =
  N extends Setting<infer T>
    ? T
    : N extends Group<infer F>
      ? Values<F>
      : N extends OptionalGroup<infer F>
        ? Values<F> | undefined
        : Values<N>

/** The check of all settings of a tree. */
export function shapeOf<F extends Tree>(tree: F): Shape<Values<F>> {
  return shapeOfNodes(tree) as Shape<Values<F>>
}

function shapeOfNodes(nodes: Nodes): Shape<unknown> {
  const shapes = Object.entries(nodes).map(([name, node]) => [name, shapeOfNode(node)] as const)
  return object(Object.fromEntries(shapes)) as Shape<unknown>
}

function shapeOfNode(node: Node): Shape<unknown> {
  if (node instanceof Setting) return node.shape
  if (node instanceof Group) return shapeOfNodes(node.fields)
  return node instanceof OptionalGroup ? optional(shapeOfNodes(node.optionalFields)) : shapeOfNodes(node)
}

/** The settings of a school that has not changed any. */
export function defaultsOf<F extends Tree>(tree: F): Values<F> {
  return defaultsOfNodes(tree) as Values<F>
}

function defaultsOfNodes(nodes: Nodes): unknown {
  const values = Object.entries(nodes).map(([name, node]) => [name, defaultOfNode(node)] as const)
  return Object.fromEntries(values.filter(([, value]) => value !== undefined))
}

function defaultOfNode(node: Node): unknown {
  if (node instanceof Setting) return node.initial
  if (node instanceof Group) return defaultsOfNodes(node.fields)
  return node instanceof OptionalGroup ? undefined : defaultsOfNodes(node)
}

/** A line of the console. `key`: the setting in the settings file. `parts`: the settings in a group, by key. */
export type SettingLine = Told & { key: string; parts?: Readonly<Record<string, string>> }

export function linesOf(tree: Tree, prefix = ''): SettingLine[] {
  return Object.entries(tree).flatMap(([name, node]): SettingLine[] => {
    const key = `${prefix}${name}`
    if (node instanceof Setting) return [{ key, ...node.words }]
    if (node instanceof Group) return [{ key, ...node.words, parts: namesIn(node.fields) }]
    if (node instanceof OptionalGroup) return [{ key, ...node.words, parts: namesIn(node.optionalFields) }]
    return linesOf(node, `${key}.`)
  })
}

const namesIn = (fields: Parts) => Object.fromEntries(Object.entries(fields).map(([key, { words }]) => [key, words]))
