import { createRequire } from 'node:module'

/** Makes a value on first use: for what is large and not needed to respond to a request. */
export function lazy<T>(make: () => T): { (): T; readonly made: boolean } {
  let value: { made: T } | undefined
  const get = () => {
    value ??= { made: make() }
    return value.made
  }
  return Object.defineProperty(get, 'made', { get: () => value !== undefined }) as never
}

/** A library that is loaded on first use, in the middle of synchronous work: for one that no start needs. */
export const lazyLibrary = <T>(name: string): (() => T) =>
  lazy(() => createRequire(import.meta.url)(name) as T)
