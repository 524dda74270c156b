/** Notes about settings of the forms that are valid, but leave out a question, or the words in a language. */
import { rankedFields } from '../leads/body/body-schemas.ts'
import { type Localized, languageName } from '../leads/body/languages.ts'
import { kinds } from '../leads/body/submission.ts'
import type { Settings } from './all-settings.ts'
import type { SchoolForm } from './school-form.ts'

/**
 * A text of the school. `ours`: whether our own words replace it in a language without one; otherwise, its text in
 * another language does.
 */
type Text = { path: string; words: Localized; ours: boolean }

/** One sentence for each text and question of the settings file. */
export const formNotes = (settings: Settings): string[] => [
  ...textsOf(settings).flatMap(text => notesOnText(text, settings)),
  ...questionNotes(settings),
]

/** The same for the forms that managers have edited. The console shows each note beside its form. */
export const editedFormNotes = (settings: Settings): string[] =>
  (settings.schoolForms ?? [])
    .filter(({ state }) => state === undefined)
    .flatMap(form => notesOnForm(form, settings).map(note => `Form ${form.name}: ${note}`))

/** The same for the form's own words, questions, and answers to choose from. */
export const notesOnForm = (form: SchoolForm, settings: Settings): string[] =>
  ownTextsOf(form).flatMap(text => notesOnText(text, settings))

function ownTextsOf({ title, introduction, button, consent, sent, labels = {}, own = [] }: SchoolForm): Text[] {
  const given = { 'its title': title, 'its introduction': introduction, 'its button': button, 'its thanks': sent }
  const question = (words: Localized, ours: boolean): Text => ({
    path: `its question "${firstOf(words)}"`,
    words,
    ours,
  })
  return [
    ...textsIn(given, true),
    ...textsIn({ 'its consent': consent }, false),
    ...Object.values(labels).map(label => question(label, true)),
    ...own
      .filter(({ type }) => type !== 'hidden')
      .flatMap(({ label, type, choices = [] }) => [
        question(label, false),
        // The name of a campus is the same in every language.
        ...(type === 'campus' ? [] : choices).map(words => ({
          path: `its answer "${firstOf(words)}"`,
          words,
          ours: false,
        })),
      ]),
  ]
}

const textsIn = (given: Record<string, Localized | undefined>, ours: boolean): Text[] =>
  Object.entries(given).flatMap(([path, words]) => (words === undefined ? [] : [{ path, words, ours }]))

const firstOf = (text: Localized): string => (typeof text === 'string' ? text : (Object.values(text)[0] ?? ''))

/** The texts of the settings file and of *Consent*, with the paths of their settings. */
const textsOf = ({ forms, schoolForms }: Settings): Text[] =>
  kinds.flatMap(kind => {
    const { title, introduction, sent, consent } = forms[kind]
    const at = (name: string) => `forms.${kind}.${name}`
    // Once managers have edited the forms, the notes on each form cover its other words.
    const given = { [at('title')]: title, [at('introduction')]: introduction, [at('sent')]: sent }
    return [
      ...(schoolForms === undefined ? textsIn(given, true) : []),
      // People agree to what the school has written, whatever its language.
      ...textsIn({ [at('consent.text')]: consent === 'none' ? undefined : consent.text }, false),
    ]
  })

/** A text without languages is in the first language of the school. */
const notesOnText = ({ path, words, ours }: Text, settings: Settings): string[] =>
  languageNotes(path, typeof words === 'string' ? settings.languages.slice(0, 1) : Object.keys(words), settings, ours)

function languageNotes(path: string, given: string[], { languages }: Settings, ours = false): string[] {
  const read = ours ? 'read the words that come with Frontdesk' : 'read it in another language'
  const missing = languages
    .filter(language => !given.includes(language))
    .map(languageName)
    .map(language => `${path} has no text in ${language}: people who chose ${language} ${read}.`)
  const unused = given
    .filter(language => !languages.includes(language))
    .map(language => `${path} has a text for '${language}', which languages does not name.`)
  return [...missing, ...unused]
}

function questionNotes(settings: Settings): string[] {
  const { forms, studentInterest } = settings
  return rankedFields.flatMap(question => {
    const { allowed, labels = {} } = studentInterest.answers[question] ?? {}
    const field = forms.student.fields[question]
    if (allowed === undefined) {
      return field === 'required'
        ? [
            `forms.student.fields.${question} is 'required', but studentInterest.answers.${question} lists no answers: the form does not ask it.`,
          ]
        : []
    }
    if (field === 'hidden') return []
    const given = [...settings.languages.slice(0, 1), ...Object.keys(labels)]
    return languageNotes(`studentInterest.answers.${question}.labels`, given, settings)
  })
}
