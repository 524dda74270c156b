/** What is the same for every request for a form in a language: its words, its fields, what people agree to. */
import { join } from 'node:path'
import type { SchoolForm } from '../config/school-form.ts'
import { consentAskedBy, formsOf } from '../config/school-forms.ts'
import type { Settings } from '../config/settings.ts'
import { type ContentFolder, foldersFor, isIn, namingFile, readContent } from '../content/content-files.ts'
import { inLanguage } from '../leads/body/languages.ts'
import type { TranslatedStates } from '../leads/body/states.ts'
import type { Kind } from '../leads/body/submission.ts'
import { isPlainObject } from '../platform/json.ts'
import type { Choice, Field } from './form-fields.ts'
import { fill, readWords, type Words } from './form-words.ts'
import { fieldsOf, programChoices } from './shown-fields.ts'

/** What is the same for every request for a form in one language. */
export type FormFacts = {
  /** Which of the school's forms it is. */
  form: SchoolForm
  kind: Kind
  language: string
  words: Words
  settings: Settings
  fields: readonly Field[]
  /** The school's programs, whether the form asks for one or not. */
  programs: readonly Choice[]
  /** What people agree to; undefined if the form does not ask for consent. */
  consent: { text: string; link: string | undefined } | undefined
}

/**
 * Computes the facts of every form at once. Returns a function that finds them by the name of the form and a language.
 * Throws an Error that names the file if the words of a language, or its names of states, cannot be read.
 */
export function createFacts(
  settings: Settings,
  contentDirs: ContentFolder[],
): (name: string, language: string) => FormFacts | undefined {
  const all = settings.languages.flatMap(language => {
    const wordsOf = { student: readWords(language, contentDirs), site: readWords(language, contentDirs, 'site') }
    const states = readStateNames(language, contentDirs)
    return formsOf(settings).map(form => {
      const words = wordsOf[form.kind]
      return {
        form,
        kind: form.kind,
        language,
        words,
        settings,
        fields: fieldsOf(form, settings, { language, states, words }),
        programs: programChoices(settings, language),
        consent: consentOf(form, language, words, settings),
      }
    })
  })
  const byName = new Map(all.map(facts => [`${facts.form.name} ${facts.language}`, facts]))
  return (name, language) => byName.get(`${name} ${language}`)
}

/** What people agree to in this form; undefined if it does not ask for consent. */
export function consentOf(form: SchoolForm, language: string, words: Words, settings: Settings): FormFacts['consent'] {
  const consent = consentAskedBy(form, settings)
  if (consent === undefined) return undefined
  const { school, contacts } = settings
  const text = fill(inLanguage(consent.text ?? words[form.kind].consent, language), { school: school.name })
  // White space as browsers show it, so that we store exactly what people read.
  return { text: text.replace(/\s+/g, ' ').trim(), link: consent.link ?? contacts.privacy }
}

/** What the token of a form signs besides the time: the consent, exactly as the page shows it. */
export const shownConsent = ({ consent }: FormFacts): string =>
  consent === undefined ? '' : `${consent.text}\n${consent.link ?? ''}`

/** A language's names for the states, where they differ from English, as in `content/es/states.json`. */
const STATES_FILE = 'states.json'

/**
 * The names of states in a language, by code. Each name comes from the first file that has it: the operator's in that
 * language, ours in that language, then the English ones. Throws an Error that names the file if one is not JSON, or
 * names anything but codes.
 */
function readStateNames(language: string, contentDirs: ContentFolder[]): TranslatedStates {
  const folders = foldersFor(language, contentDirs).filter(folder => isIn(folder, STATES_FILE))
  return Object.assign({}, ...folders.toReversed().map(readFile))
}

const readFile = (folder: ContentFolder): TranslatedStates =>
  namingFile(typeof folder === 'string' ? join(folder, STATES_FILE) : STATES_FILE, () => {
    const names: unknown = JSON.parse(readContent(STATES_FILE, [folder]))
    if (!isPlainObject(names)) throw new Error('must be an object of names by code, such as { "NY": "Nueva York" }')
    for (const [code, name] of Object.entries(names)) {
      if (!/^[A-Z]{2,3}$/.test(code)) throw new Error(`has ${code}, which is not a code such as NY`)
      if (typeof name !== 'string' || name.trim() === '') throw new Error(`${code} must be a name`)
    }
    return names as TranslatedStates
  })
