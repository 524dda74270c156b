/** What a language calls the states, where that differs from English: `content/es/states.json`. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { isPlainObject } from '../config/shape.ts'
import { foldersFor, namingFile, readContent } from '../content/content-files.ts'
import type { TranslatedStates } from '../leads/body/states.ts'

const FILE = 'states.json'

/**
 * The names of states in a language, by code. Each comes from the first file that has it: the operator's and ours in
 * that language, then those in English. Throws an Error that names the file if one is not JSON, or names anything
 * but codes.
 */
export function readStateNames(language: string, contentDirs: string[]): TranslatedStates {
  const folders = foldersFor(language, contentDirs).filter(folder => existsSync(join(folder, FILE)))
  return Object.assign({}, ...folders.toReversed().map(readFile))
}

const readFile = (folder: string): TranslatedStates =>
  namingFile(join(folder, FILE), () => {
    const names: unknown = JSON.parse(readContent(FILE, [folder]))
    if (!isPlainObject(names)) throw new Error('must be an object of names by code, such as { "NY": "Nueva York" }')
    for (const [code, name] of Object.entries(names)) {
      if (!/^[A-Z]{2,3}$/.test(code)) throw new Error(`has ${code}, which is not a code such as NY`)
      if (typeof name !== 'string' || name.trim() === '') throw new Error(`${code} must be a name`)
    }
    return names as TranslatedStates
  })
