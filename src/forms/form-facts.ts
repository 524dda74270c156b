/** What stays the same for each form in each language: its words, its fields, what people agree to. */
import type { Settings } from '../config/settings.ts'
import { inLanguage } from '../leads/body/languages.ts'
import type { Kind } from '../leads/body/submission.ts'
import { fill, readWords, type Words } from './form-words.ts'
import { type Field, fieldsOf } from './shown-fields.ts'
import { readStateNames } from './state-names.ts'

/** What stays the same for a form in one language. */
export type FormFacts = {
  kind: Kind
  language: string
  words: Words
  settings: Settings
  fields: readonly Field[]
  /** What people agree to; undefined if the form does not ask. */
  consent: { text: string; link: string | undefined } | undefined
}

/**
 * Makes the facts of every form at once. Throws an Error that names the file if the words of a language, or
 * its names of states, cannot be read.
 */
export function createFacts(settings: Settings, contentDirs: string[]): (kind: Kind, language: string) => FormFacts {
  const all = settings.languages.flatMap(language => {
    const words = readWords(language, contentDirs)
    const states = readStateNames(language, contentDirs)
    return (['student', 'site'] as const).map(kind => ({
      kind,
      language,
      words,
      settings,
      fields: fieldsOf(kind, settings, { language, states }),
      consent: consentOf(kind, language, words, settings),
    }))
  })
  const byName = new Map(all.map(facts => [`${facts.kind} ${facts.language}`, facts]))
  return (kind, language) => byName.get(`${kind} ${language}`) as FormFacts
}

function consentOf(
  kind: Kind,
  language: string,
  words: Words,
  { forms, school, contacts }: Settings,
): FormFacts['consent'] {
  const { consent } = forms[kind]
  if (consent === 'none') return undefined
  const text = fill(inLanguage(consent.text ?? words[kind].consent, language), { school: school.name })
  // As browsers show it: what is kept is what people read.
  return { text: text.replace(/\s+/g, ' ').trim(), link: consent.link ?? contacts.privacy }
}

/** What the token of a form signs beside the time: the consent exactly as the page shows it. */
export const shownConsent = ({ consent }: FormFacts): string =>
  consent === undefined ? '' : `${consent.text}\n${consent.link ?? ''}`
