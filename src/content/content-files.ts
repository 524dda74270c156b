/** The files of content. Each is read from the operator's own folder or, if it is not there, from ours. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ourPath } from '../platform/places.ts'

/** The folder of the content that comes with Frontdesk. */
export const ourContent: string = ourPath('content/')

/** A folder of files; or texts that were edited in the console, by the names of the files that they replace. */
export type ContentFolder = string | ReadonlyMap<string, string>

/** The folders that we search for content, in order: texts edited in the console, the operator's own, ours. */
export const contentDirs = (own: string | undefined, edited?: EditedTexts): ContentFolder[] => [
  ...(edited === undefined ? [] : [asFolder(edited)]),
  ...(own === undefined ? [] : [own]),
  ourContent,
]

/** The texts edited in the console: by the name of the English file, then by language. */
export type EditedTexts = Readonly<Record<string, Readonly<Record<string, { text: string }>>>>

const asFolder = (edited: EditedTexts): ReadonlyMap<string, string> =>
  new Map(
    Object.entries(edited).flatMap(([name, languages]) =>
      Object.entries(languages).map(([language, { text }]): [string, string] => [fileIn(language, name), text]),
    ),
  )

/** The language of the files that lie directly in a content folder. Other languages have a folder in it. */
export const ROOT_LANGUAGE = 'en'

/** The folders for a language, in order: its own folder in each content folder, then the English ones. */
export const foldersFor = (language: string, contentDirs: ContentFolder[]): ContentFolder[] =>
  language === ROOT_LANGUAGE ? contentDirs : [...contentDirs.map(folder => within(folder, language)), ...contentDirs]

function within(folder: ContentFolder, name: string): ContentFolder {
  if (typeof folder === 'string') return join(folder, name)
  const start = `${name}/`
  return new Map(
    [...folder].flatMap(([file, text]) => (file.startsWith(start) ? [[file.slice(start.length), text]] : [])),
  )
}

export const isIn = (folder: ContentFolder, name: string): boolean =>
  typeof folder === 'string' ? existsSync(join(folder, name)) : folder.has(name)

/** The names, without `.md`, of the Markdown files in a folder such as `replies` of this one. */
export function markdownIn(folder: ContentFolder, name: string): string[] {
  const inside = within(folder, name)
  return filesOf(inside).flatMap(file => /^([^/]+)\.md$/.exec(file)?.[1] ?? [])
}

function filesOf(folder: ContentFolder): string[] {
  if (typeof folder !== 'string') return [...folder.keys()]
  try {
    return readdirSync(folder)
  } catch (error) {
    // The operator's own folder need not have such a folder.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

/** The language in which a file exists: the wanted one, otherwise English. */
export const languageOfFile = (name: string, wanted: string, contentDirs: ContentFolder[]): string =>
  contentDirs.some(folder => isIn(folder, fileIn(wanted, name))) ? wanted : ROOT_LANGUAGE

/** The name of a file in a language, relative to a content folder. */
export const fileIn = (language: string, name: string): string =>
  language === ROOT_LANGUAGE ? name : `${language}/${name}`

/** The text of a file, from the first of the folders that has it. Throws if none does. */
export const readContent = (name: string, contentDirs: ContentFolder[]): string =>
  readFirst(name, contentDirs)
    .replace(/^\ufeff/, '')
    .replaceAll('\r\n', '\n')

function readFirst(name: string, contentDirs: ContentFolder[]): string {
  for (const folder of contentDirs) {
    const text = typeof folder === 'string' ? readFile(join(folder, name)) : folder.get(name)
    if (text !== undefined) return text
  }
  const looked = contentDirs.filter(folder => typeof folder === 'string')
  throw new Error(`is missing (looked in ${looked.join(', ')})`)
}

function readFile(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code !== 'ENOENT') throw new Error(`${path} cannot be read: ${message}`)
    return undefined
  }
}

/** Does something with a file. Errors that it throws name the file. */
export function namingFile<T>(name: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw new Error(`${name}: ${(error as Error).message}`)
  }
}
