/**
 * Notes about settings of the forms that are valid, but give someone words in another language, or leave a question
 * out.
 */
import { rankedFields } from '../leads/body/body-schemas.ts'
import { type Localized, languageName } from '../leads/body/languages.ts'
import { kinds } from '../leads/body/submission.ts'
import type { Settings } from './all-settings.ts'
import type { SchoolForm } from './school-form.ts'

/** One sentence for each text and question. */
export const formNotes = (settings: Settings): string[] => [
  ...textsOf(settings).flatMap(([path, text]) => languageNotes(path, languagesOf(text, settings), settings)),
  ...questionNotes(settings),
  ...(settings.schoolForms ?? [])
    .filter(({ state }) => state === undefined)
    .flatMap(form => notesOnForm(form, settings).map(note => `Form ${form.name}: ${note}`)),
]

/** The same for what only this form says: its words, its questions, and the answers to choose from. */
export const notesOnForm = (form: SchoolForm, settings: Settings): string[] =>
  ownTextsOf(form).flatMap(([name, text]) => languageNotes(name, languagesOf(text, settings), settings))

function ownTextsOf({
  title,
  introduction,
  button,
  consent,
  sent,
  labels = {},
  own = [],
}: SchoolForm): [string, Localized][] {
  const words = Object.entries({ title, introduction, button, consent, sent })
  return [
    ...words.flatMap(([name, text]): [string, Localized][] => (text === undefined ? [] : [[`its ${name}`, text]])),
    ...Object.values(labels).map((label): [string, Localized] => [`its question "${firstOf(label)}"`, label]),
    ...own
      .filter(({ type }) => type !== 'hidden')
      .flatMap(({ label, type, choices = [] }): [string, Localized][] => [
        [`its question "${firstOf(label)}"`, label],
        // The name of a campus is the same in every language.
        ...(type === 'campus' ? [] : choices.map((one): [string, Localized] => [`its answer "${firstOf(one)}"`, one])),
      ]),
  ]
}

const firstOf = (text: Localized): string => (typeof text === 'string' ? text : (Object.values(text)[0] ?? ''))

/** The texts of the settings file and of *Consent*, with the paths of their settings. */
const textsOf = ({ forms, schoolForms }: Settings): [string, Localized][] =>
  kinds.flatMap(kind => {
    const { title, introduction, sent, consent } = forms[kind]
    const agreed = consent === 'none' ? undefined : consent.text
    // Once managers have edited the forms, the notes on each form have its other words.
    const words = schoolForms === undefined ? { title, introduction, sent } : {}
    const texts = Object.entries({ ...words, 'consent.text': agreed })
    return texts.flatMap(([name, text]): [string, Localized][] =>
      text === undefined ? [] : [[`forms.${kind}.${name}`, text]],
    )
  })

/** A text without languages is in the first language of the school. */
const languagesOf = (text: Localized, { languages }: Settings): string[] =>
  typeof text === 'string' ? languages.slice(0, 1) : Object.keys(text)

function languageNotes(path: string, given: string[], { languages }: Settings): string[] {
  const missing = languages
    .filter(language => !given.includes(language))
    .map(
      language =>
        `${path} has no text in ${languageName(language)}: people who chose ${languageName(language)} read it in another language.`,
    )
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
