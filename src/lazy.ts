/** Makes a value when it is first asked for: what is large and not needed to answer a request. */
export function lazy<T>(make: () => T): { (): T; readonly made: boolean } {
  let value: { made: T } | undefined
  const get = () => {
    value ??= { made: make() }
    return value.made
  }
  return Object.defineProperty(get, 'made', { get: () => value !== undefined }) as never
}
