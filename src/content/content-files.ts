/** The files of content: each is read from the operator's own folder, or from ours if it is not there. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The folders in which content is looked for: the operator's first, then ours. */
export const contentDirs = (own: string | undefined): string[] => [
  ...(own === undefined ? [] : [own]),
  fileURLToPath(new URL('../../content/', import.meta.url)),
]

/** The language of the files that lie directly in a content folder. Others have a folder in it: `es/`. */
export const ROOT_LANGUAGE = 'en'

/** The folders for a language, in their order: those of its own in each content folder, then those of English. */
export const foldersFor = (language: string, contentDirs: string[]): string[] =>
  language === ROOT_LANGUAGE ? contentDirs : [...contentDirs.map(folder => join(folder, language)), ...contentDirs]

/** The language in which there is a file: the one that is wanted, otherwise English. */
export const languageOfFile = (name: string, wanted: string, contentDirs: string[]): string =>
  contentDirs.some(folder => existsSync(join(folder, wanted, name))) ? wanted : ROOT_LANGUAGE

/** The name of a file in a language, relative to a content folder. */
export const fileIn = (language: string, name: string): string =>
  language === ROOT_LANGUAGE ? name : `${language}/${name}`

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
