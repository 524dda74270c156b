/** Loads each template on first use: an old cadence may name one that no current cadence does. */
export function onFirstUse<T>(load: (file: string) => T): (file: string) => T {
  const loaded = new Map<string, T>()
  return file => {
    const found = loaded.get(file) ?? load(file)
    loaded.set(file, found)
    return found
  }
}
