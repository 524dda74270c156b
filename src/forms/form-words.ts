/** The words of the forms in one language: `content/forms.json`, and `content/es/forms.json` beside it. */
import { join } from 'node:path'
import { type ContentFolder, foldersFor, isIn, namingFile, readContent } from '../content/content-files.ts'
import { FORM_WORDS as FILE } from '../content/form-titles.ts'
import type { Kind } from '../leads/body/submission.ts'
import type { FieldWords, OurField } from './form-fields.ts'

type Group<K extends string> = Record<K, string>

export type KindWords = Group<'title' | 'introduction' | 'send' | 'consent' | 'sentTitle' | 'sent' | 'willCall'>

export type Trouble = keyof Words['trouble']

export type Words = {
  form: Group<
    | 'optional'
    | 'choose'
    | 'chooseState'
    | 'consentLink'
    | 'sending'
    | 'slow'
    | 'waiting'
    | 'late'
    | 'draft'
    | 'clear'
    | 'trap'
    | 'error'
    | 'problems'
    | 'more'
    | 'privacy'
    | 'otherLanguages'
    | 'yes'
    | 'no'
    | 'morning'
    | 'afternoon'
    | 'evening'
    | 'answerThis'
    | 'askThen'
    | 'shorter'
    | 'left'
  >
  student: KindWords
  site: KindWords
  kiosk: Group<'next' | 'stored' | 'waits'>
  /** The second step of a form in two steps; `follows`: what the first step says about it. */
  rest: Group<'follows' | 'title' | 'introduction' | 'promise' | 'send' | 'leave'>
  after: Group<
    | ('call' | 'correct' | 'again' | 'goOn' | 'accountTitle' | 'account' | 'signIn')
    | ('contact' | 'contactOnly' | 'wrong' | 'change' | 'bestTime' | 'today' | 'tomorrow' | 'onDay')
    | ('morning' | 'afternoon' | 'evening')
    | ('correctTitle' | 'correctSend' | 'corrected')
  >
  trouble: Group<
    | 'token'
    | 'rest'
    | 'consent'
    | 'charset'
    | 'files'
    | 'twice'
    | 'incomplete'
    | 'tooLargeTitle'
    | 'tooLarge'
    | 'lockedOut'
    | 'tooMany'
    | 'busy'
    | 'unavailable'
    | 'minute'
    | 'minutes'
    | 'hour'
    | 'hours'
    | 'callInstead'
  >
  fields: Record<OurField, FieldWords>
}

/**
 * Reads the words of a language. Each word comes from the first file that has it: the operator's in that language, ours
 * in that language, then the English ones. Throws an Error that names the file if one is not JSON, or has a word that
 * no form uses.
 */
export function readWords(language: string, contentDirs: ContentFolder[], kind: Kind = 'student'): Words {
  const files = foldersFor(language, contentDirs)
    .filter(folder => isIn(folder, FILE))
    .map(folder => readFile(folder))
  const ours = files.at(-1) as Tree
  for (const file of files) namingFile(FILE, () => refuseUnknown(file, ours))
  const { [EMPLOYERS]: _, ...words } = files
    .map(file => (kind === 'site' ? merged(file, (file[EMPLOYERS] ?? {}) as Tree) : file))
    .reduceRight(merged)
  return words as Words
}

/** The words that are different for employers, since some languages address them more formally. */
const EMPLOYERS = 'employers'

type Tree = { [name: string]: Tree | string }

const readFile = (folder: ContentFolder): Tree =>
  namingFile(typeof folder === 'string' ? join(folder, FILE) : FILE, () => JSON.parse(readContent(FILE, [folder])))

/** The two trees merged. If both have a word, the one in `over` wins. */
const merged = (base: Tree, over: Tree): Tree => ({
  ...base,
  ...Object.fromEntries(
    Object.entries(over).map(([name, value]) => {
      const below = base[name]
      const both = typeof value === 'object' && typeof below === 'object'
      return [name, both ? merged(below, value) : value]
    }),
  ),
})

function refuseUnknown(file: Tree, known: Tree, path = ''): void {
  for (const [name, value] of Object.entries(file)) {
    const ours = known[name]
    if (ours === undefined) throw new Error(`has ${path}${name}, which no form uses`)
    if (typeof value !== typeof ours) {
      throw new Error(`${path}${name} must be ${typeof ours === 'string' ? 'text' : 'an object'}`)
    }
    const below = path === '' && name === EMPLOYERS ? known : (ours as Tree)
    if (typeof value === 'object') refuseUnknown(value, below, `${path}${name}.`)
  }
}

/** A sentence with its placeholders filled in. A placeholder without a value stays as it is. */
export const fill = (sentence: string, values: Record<string, string | number>): string =>
  sentence.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole))
