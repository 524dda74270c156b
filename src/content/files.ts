/** The files of content: each is read from the operator's own folder, or from ours if it is not there. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The folders in which content is looked for: the operator's first, then ours. */
export const contentDirs = (own: string | undefined): string[] => [
  ...(own === undefined ? [] : [own]),
  fileURLToPath(new URL('../../content/', import.meta.url)),
]

/** The text of a file, from the first of the folders that holds it. Throws where none does. */
export const readContent = (name: string, contentDirs: string[]): string =>
  readFirst(name, contentDirs)
    .replace(/^\ufeff/, '')
    .replaceAll('\r\n', '\n')

function readFirst(name: string, contentDirs: string[]): string {
  for (const folder of contentDirs) {
    try {
      return readFileSync(join(folder, name), 'utf8')
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException
      if (code !== 'ENOENT') throw new Error(`${join(folder, name)} cannot be read: ${message}`)
    }
  }
  throw new Error(`is missing (looked in ${contentDirs.join(', ')})`)
}

/** Does something with a file. Errors that it throws name the file. */
export function namingFile<T>(name: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw new Error(`${name}: ${(error as Error).message}`)
  }
}
