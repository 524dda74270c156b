/**
 * Whether the path of the database still leads to the file that SQLite has open. On most systems, an open file can be
 * deleted or replaced: by a script that cleans up, an unmounted volume, a backup that was moved over it. SQLite then
 * continues with a file that no one will ever open again, and all that it stores is lost when the process ends.
 */
import { statSync } from 'node:fs'

/**
 * Call it after SQLite has opened the file. Returns a function that says what is wrong; undefined if nothing is. It never
 * throws, and takes a few microseconds.
 */
export function sameFile(file: string): () => Error | undefined {
  const opened = identityOf(file)
  return () =>
    identityOf(file) === opened
      ? undefined
      : new Error(`${file} was deleted or replaced while the service runs, so nothing is stored until it is back`)
}

/** Undefined if there is nothing at the path, or if that cannot be told, such as on a network drive that is gone. */
function identityOf(file: string): string | undefined {
  try {
    const { dev, ino } = statSync(file, { bigint: true })
    return `${dev} ${ino}`
  } catch {
    return undefined
  }
}
