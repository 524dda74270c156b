/** Makes a value on first use: for what is large and not needed to respond to a request. */
export function lazy<T>(make: () => T): { (): T; readonly made: boolean } {
  let value: { made: T } | undefined
  const get = () => {
    value ??= { made: make() }
    return value.made
  }
  return Object.defineProperty(get, 'made', { get: () => value !== undefined }) as never
}
