import { createRequire } from 'node:module'

/**
 * Makes a value on first use, for values that are large and not needed to respond to a request. If a promise is
 * rejected, it is made again at the next use: something that failed once, such as reading a file, may work then.
 */
export function lazy<T>(make: () => T): { (): T; readonly made: boolean } {
  let value: { made: T } | undefined
  const get = () => {
    if (value !== undefined) return value.made
    const made = make()
    value = { made }
    if (made instanceof Promise)
      made.catch(() => {
        value = undefined
      })
    return made
  }
  return Object.defineProperty(get, 'made', { get: () => value !== undefined }) as never
}

/** Makes the value of each key on first use. */
export function lazyEach<T>(make: (key: string) => T): (key: string) => T {
  const made = new Map<string, T>()
  return key => {
    const value = made.get(key) ?? make(key)
    made.set(key, value)
    return value
  }
}

/**
 * A value that is computed from other values, such as settings, which may be replaced when someone edits them in the
 * console. It is made on first use, and again when one of `values` is no longer the same.
 */
export function following<T>(values: () => readonly unknown[], make: () => T): () => T {
  let known: { values: readonly unknown[]; made: T } | undefined
  return () => {
    const now = values()
    if (known === undefined || now.some((value, i) => value !== known?.values[i])) known = { values: now, made: make() }
    return known.made
  }
}

/** An object whose entries are read, at each use, from what `current` returns, which must always have the same keys. */
export const delegating = <T extends object>(current: () => T): T =>
  new Proxy({} as T, {
    get: (_, key) => Reflect.get(current(), key),
    has: (_, key) => Reflect.has(current(), key),
    ownKeys: () => Reflect.ownKeys(current()),
    getOwnPropertyDescriptor: (_, key) => ({
      value: Reflect.get(current(), key),
      enumerable: true,
      configurable: true,
      writable: false,
    }),
  })

/** A library that is loaded on first use, in the middle of synchronous work, because the start does not need it. */
export const lazyLibrary = <T>(name: string): (() => T) => lazy(() => createRequire(import.meta.url)(name) as T)
